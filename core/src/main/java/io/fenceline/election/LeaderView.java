package io.fenceline.election;

import io.fenceline.FencingToken;
import io.fenceline.Holder;

/**
 * The leader of a group when the store was read; possibly outdated.
 *
 * @param group the group
 * @param leader the leader's name
 * @param term its term
 */
public record LeaderView(String group, Holder leader, FencingToken term) {}
