package io.fenceline.cli;

import io.fenceline.FencingToken;
import io.fenceline.guard.Fence;
import java.util.List;

/** The printed fields of a fence. */
final class FenceFacts {

    private FenceFacts() {}

    static List<Fact> of(String resource, Fence fence) {
        String written =
                fence.written() == 0 ? null : FencingToken.of(fence.written()).text();
        return List.of(
                Fact.of("resource", "resource", resource),
                Fact.of("key", "lock key", fence.key().value()),
                Fact.of("highest", "highest token", fence.highest().text()),
                new Fact("written", "last written", written, written == null ? "never" : written));
    }
}
