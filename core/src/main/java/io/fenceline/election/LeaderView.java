package io.fenceline.election;

import io.fenceline.FencingToken;
import io.fenceline.Holder;

/**
 * A group's leader, as the store knew it when it was asked. The next moment may be different.
 *
 * @param group the group
 * @param leader the leader's name
 * @param term its term
 */
public record LeaderView(String group, Holder leader, FencingToken term) {}
