/** ShedLock's lock provider on Fenceline's locks. */
@org.jspecify.annotations.NullMarked
module io.fenceline.shedlock {
    requires static org.jspecify;
    requires transitive io.fenceline.core;
    requires transitive net.javacrumbs.shedlock.core;

    exports io.fenceline.shedlock;
}
