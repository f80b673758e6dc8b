package io.fenceline.firestore;

/**
 * Encodes names as document ids. Firestore allows ids of up to 1500 bytes without slashes, except {@code .}, {@code ..} and {@code
 * __x__}.
 *
 * <p>As in JSON pointers, a slash is {@code ~1} and a tilde is {@code ~0}. A leading dot is {@code ~2} and a leading underscore
 * {@code ~3}. So no two names share an id, most ids look like their names, and the longest, 512 slashes, has 1024 bytes.
 */
final class DocumentId {

    private DocumentId() {}

    static String of(String name) {
        String id = name.replace("~", "~0").replace("/", "~1");
        return switch (id.charAt(0)) {
            case '.' -> "~2" + id.substring(1);
            case '_' -> "~3" + id.substring(1);
            default -> id;
        };
    }
}
