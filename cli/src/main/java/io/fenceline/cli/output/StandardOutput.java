package io.fenceline.cli.output;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Standard output that reports write errors, unlike {@link System#out}. A pipe that its reader has closed, as {@code head} does,
 * is not an error.
 */
public final class StandardOutput extends FilterOutputStream {

    public StandardOutput() {
        this(new FileOutputStream(FileDescriptor.out));
    }

    public StandardOutput(OutputStream stream) {
        super(stream);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            out.write(bytes, offset, length);
        } catch (IOException e) {
            if (!String.valueOf(e.getMessage()).contains("pipe")) {
                throw e;
            }
        }
    }
}
