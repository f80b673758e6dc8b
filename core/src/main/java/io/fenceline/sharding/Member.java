package io.fenceline.sharding;

import io.fenceline.Holder;
import io.fenceline.LockId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A store as one of a set of stores, as the lock of its record names it.
 *
 * @param names of all stores of the set
 * @param name of this store
 */
record Member(int generation, String names, String name) {

    private static final Pattern TEXT = Pattern.compile("generation ([0-9]{1,2}) of (\\S+): (\\S+)");
    private static final int MAX_NAMES = 180;

    /** Returns names that fit into a holder's text. Different ones stay different. */
    static String shortened(String names) {
        return names.length() <= MAX_NAMES ? names : names.substring(0, MAX_NAMES - 40) + "..." + hash(names);
    }

    /** Reads {@link #holder}. */
    static Optional<Member> of(Holder holder) {
        Matcher matcher = TEXT.matcher(holder.text());
        return matcher.matches()
                ? Optional.of(new Member(Integer.parseInt(matcher.group(1)), matcher.group(2), matcher.group(3)))
                : Optional.empty();
    }

    Holder holder() {
        return Holder.of("generation " + generation + " of " + names + ": " + name);
    }

    /** Returns the lock id that says that records with these ids, in the order of the stores' names, are all of a set. */
    static LockId completion(List<LockId> records) {
        UUID hash = hash(records.stream().map(LockId::text).collect(Collectors.joining(",")));
        byte[] bytes = ByteBuffer.allocate(16)
                .putLong(hash.getMostSignificantBits())
                .putLong(hash.getLeastSignificantBits())
                .array();
        return LockId.parse(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
    }

    private static UUID hash(String text) {
        return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
    }
}
