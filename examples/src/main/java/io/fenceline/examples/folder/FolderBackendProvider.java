package io.fenceline.examples.folder;

import io.fenceline.spi.BackendProvider;
import io.fenceline.spi.LockBackend;
import java.nio.file.Path;
import java.util.Set;

/** Opens a {@link FolderLockBackend} from a URI such as {@code folder:/var/lib/app/locks}. */
public final class FolderBackendProvider implements BackendProvider {

    /** Called by the service loader. */
    public FolderBackendProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("folder");
    }

    @Override
    public String usage() {
        return "folder:PATH";
    }

    @Override
    public LockBackend open(String uri) {
        String path = uri.substring("folder:".length());
        if (path.isEmpty()) {
            throw new IllegalArgumentException("'" + uri + "' names no folder: write folder:PATH");
        }
        return new FolderLockBackend(Path.of(path));
    }
}
