package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;

/** The JSON of a lock, to the byte; the order of its members is nobody's promise. */
final class SyncGuardJson {

    private SyncGuardJson() {}

    static String text(String name, String written) {
        return "\"" + name + "\":\"" + written + "\"";
    }

    static String number(String name, long value) {
        return "\"" + name + "\":" + value;
    }

    /** Fails unless the JSON is an object of these members in some order, without a byte more. */
    static void assertConsistsOf(Object json, String... members) {
        String text = String.valueOf(json);
        int length = "{}".length() + members.length - 1;
        for (String member : members) {
            assertThat(text).containsOnlyOnce(member);
            length += member.length();
        }
        assertThat(text).startsWith("{").endsWith("}").hasSize(length);
    }
}
