package io.fenceline.firestore;

/**
 * Names as document ids. Firestore takes ids of up to 1500 bytes without slashes; {@code .}, {@code ..} and {@code __x__} are
 * not allowed.
 *
 * <p>As in JSON pointers a slash is {@code ~1} and a tilde is {@code ~0}. An id that would begin with a dot or an underscore
 * has {@code ~2} or {@code ~3} there. So no two names share an id, most ids read like their names, and the longest, 512
 * slashes, has 1024 bytes.
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
