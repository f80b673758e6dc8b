package io.fenceline.examples.docs;

import java.io.IOException;
import java.util.List;

/** The Java of the pages on migrating from other libraries, before and after, compiles and runs as it stands. */
class MigrationPagesTest extends DocumentedCodeTest {

    static List<DocumentationPage> pages() throws IOException {
        return DocumentationPage.migrations();
    }
}
