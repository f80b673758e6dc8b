package io.fenceline.jdbc.h2;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.util.concurrent.atomic.AtomicBoolean;
import org.h2.store.fs.FileBaseDefault;
import org.h2.store.fs.FilePath;
import org.h2.store.fs.FilePathWrapper;

/** H2's files below {@code full:}, on a disk that a test fills. Public, since H2 makes the paths itself. */
public final class FullDisk extends FilePathWrapper {

    static final AtomicBoolean FULL = new AtomicBoolean();

    static void register() {
        FilePath.register(new FullDisk());
    }

    @Override
    public String getScheme() {
        return "full";
    }

    @Override
    public FileChannel open(String mode) throws IOException {
        return new File(getBase().open(mode));
    }

    private static final class File extends FileBaseDefault {
        private final FileChannel file;

        private File(FileChannel file) {
            this.file = file;
        }

        @Override
        public int write(ByteBuffer bytes, long position) throws IOException {
            if (FULL.get()) {
                throw new IOException("No space left on device");
            }
            return file.write(bytes, position);
        }

        @Override
        public int read(ByteBuffer bytes, long position) throws IOException {
            return file.read(bytes, position);
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        protected void implTruncate(long size) throws IOException {
            file.truncate(size);
        }

        @Override
        public void force(boolean metadata) throws IOException {
            file.force(metadata);
        }

        @Override
        public FileLock tryLock(long position, long size, boolean shared) throws IOException {
            return file.tryLock(position, size, shared);
        }

        @Override
        protected void implCloseChannel() throws IOException {
            file.close();
        }
    }
}
