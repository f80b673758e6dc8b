package io.fenceline.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which paths a store may have; see {@link SqliteFileTest} for what opening says. */
class StorePathTest {

    @TempDir
    Path folder;

    /** Its log stays where it comes from. */
    @Test
    @Tag("G1")
    void aFileIsMountedByItselfWhereTheListOfMountsHasIt() throws IOException {
        Path file = Files.createFile(folder.resolve("two words.db"));
        String escaped = file.toRealPath().toString().replace(" ", "\\040");
        Path mounts = folder.resolve("mountinfo");
        Files.writeString(
                mounts,
                "27 1 254:0 / / rw - ext4 /dev/vda rw\n28 27 254:0 /a.db " + escaped + " rw - ext4 /dev/vda rw\n");

        assertThat(StorePath.isMountPoint(file, mounts)).isTrue();
        assertThat(StorePath.isMountPoint(folder, mounts)).isFalse();
        assertThat(StorePath.isMountPoint(file, folder.resolve("missing"))).isFalse();
        assertThat(StorePath.usable(file)).isEqualTo(file);
    }
}
