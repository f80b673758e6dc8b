package io.fenceline.testkit;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import java.util.stream.Stream;

/** Keys and lock ids that stores have been known to fold, cut, interpret or confuse. No two are the same lock. */
final class NastyKeys {

    private NastyKeys() {}

    static Stream<LockKey> all() {
        return Stream.of(punctuation(), commands(), internalLooking(), nearTwins(), unicode(), long512())
                .flatMap(keys -> keys)
                .map(LockKey::of);
    }

    static Stream<LockId> lockIds() {
        return Stream.of(
                new LockId(0, 0),
                new LockId(-1, -1),
                new LockId(Long.MIN_VALUE, Long.MAX_VALUE),
                new LockId(0xfbef_bebe_fbef_bebeL, 0xffff_ffff_0000_0000L));
    }

    private static Stream<String> punctuation() {
        return Stream.of(
                ":", "::", "a:b", "a/b", "/a/b", "a//b", "a/b/c/d", "/", ".", "..", "a.b", "-", "_", "*", "?", "[a-z]*",
                "#", "{", "}", "{}", "{a}", "a{b}c", "{a}{b}", "{{a}}", "\\", "\\x00", "\"", "'", "''", "`", "$1",
                ":name", "?1", "@p", "a,b", "a;b", "a=b", "a&b", "a|b", "<a>", "a\tb", "a\nb", "a\r\nb", "\u0001",
                "\u007f");
    }

    private static Stream<String> commands() {
        return Stream.of(
                "%",
                "_%",
                "a%b",
                "a_b",
                "axb",
                "'; delete from fenceline_lock; --",
                "\") or (\"1\"=\"1",
                "null",
                "NULL",
                "0",
                "-1",
                "1e5",
                "001",
                "1",
                "true",
                "FLUSHALL",
                "return redis.call('DEL', KEYS[1])",
                "${env}",
                "#{1+1}",
                "../../etc/passwd");
    }

    private static Stream<String> internalLooking() {
        return Stream.of(
                "__x__",
                "__name__",
                "fence:invoice:42",
                "fence",
                "id:AAAAAAAAAAAAAAAAAAAAAA",
                "lock:invoice:42",
                "invoice:42:fence",
                "invoice:42:queue",
                "{invoice:42}:fence",
                "fenceline",
                "fenceline:",
                "fenceline:invoice:42",
                "fenceline_lock",
                "syncguard:invoice:42",
                "queue",
                "owner",
                "000000000000001");
    }

    private static Stream<String> nearTwins() {
        return Stream.of(
                "key",
                "KEY",
                "Key",
                "key ",
                "key  ",
                " key",
                "key\t",
                "key\n",
                "key\u00a0",
                "stra\u00dfe",
                "strasse",
                "\u0131",
                "i",
                "I",
                "\u0130",
                "resume",
                "r\u00e9sum\u00e9",
                "\u00c5",
                "A",
                "a",
                "\u03c3",
                "\u03c2",
                "\uff4b\uff45\uff59",
                "k\u200bey",
                "\ufeffkey",
                "\u043a\u0435\u0443");
    }

    private static Stream<String> unicode() {
        return Stream.of(
                "\uD83D\uDD12",
                "\uD83D\uDD11",
                "\uD83D\uDC68\u200D\uD83D\uDC69\u200D\uD83D\uDC67",
                "\u30ed\u30c3\u30af",
                "\u0437\u0430\u043c\u043e\u043a",
                "\u9501",
                "\u202eabc",
                "\ud800\udc00",
                "\udbff\udfff",
                "\ufffd",
                "\uffff",
                "\ue000");
    }

    private static Stream<String> long512() {
        return Stream.of(
                "x".repeat(512),
                "x".repeat(511) + "y",
                "y" + "x".repeat(511),
                "x".repeat(511),
                "\uD83D\uDD12".repeat(128),
                "e\u0301".repeat(256),
                ":".repeat(512));
    }
}
