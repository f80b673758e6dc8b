package io.fenceline.spring;

import io.fenceline.Lease;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.core.annotation.AliasFor;

/** A bean with locked methods of all shapes that work. */
class Invoices {

    private final List<Lease> leases = new CopyOnWriteArrayList<>();

    /** The leases under which methods ran; fields of a proxy are null. */
    List<Lease> leases() {
        return leases;
    }

    public String region() {
        return "north";
    }

    @Locked("invoice:#{#id}")
    long pay(long id) {
        leases.add(CurrentLease.required());
        return id;
    }

    @Locked("${invoices.prefix}:#{region()}:#{@tenants.current()}:#{#p0}")
    void archive(String year) {
        leases.add(CurrentLease.required());
    }

    @Locked("invoice:#{#key}")
    void byObject(Object key) {
        leases.add(CurrentLease.required());
    }

    @Locked(key = "nightly", onUnavailable = OnUnavailable.SKIP)
    void nightly() {
        leases.add(CurrentLease.required());
    }

    @Locked(key = "nightly", onUnavailable = OnUnavailable.SKIP)
    Optional<String> nightlyResult() {
        return Optional.of("done");
    }

    @Locked(key = "nightly", onUnavailable = OnUnavailable.SKIP)
    void nightlyWork(Callable<Void> work) throws Exception {
        work.call();
    }

    @Locked(key = "nightly", maxWait = "PT0S")
    void impatient() {}

    @Locked(key = "short", ttl = "2s", atLeast = "${invoices.hold}")
    void shortJob() {
        leases.add(CurrentLease.required());
    }

    @Locked("outer")
    <T> T within(Callable<T> work) throws Exception {
        leases.add(CurrentLease.required());
        return work.call();
    }

    @Locked("invoice:#{#id}")
    CompletableFuture<String> later(long id, CompletableFuture<String> result) {
        leases.add(CurrentLease.required());
        return result;
    }

    @Locked("undeclared")
    Object undeclared(Object result) {
        return result;
    }

    @Locked(key = "report", locks = "otherLocks")
    void onOtherLocks() {
        leases.add(CurrentLease.required());
    }

    @Daily("report")
    void byMetaAnnotation() {
        leases.add(CurrentLease.required());
    }

    void onThis() {
        pay(1);
    }

    /** An annotation of an application's own. */
    @Locked
    @Retention(RetentionPolicy.RUNTIME)
    @interface Daily {

        @AliasFor(annotation = Locked.class, attribute = "key")
        String value();
    }
}
