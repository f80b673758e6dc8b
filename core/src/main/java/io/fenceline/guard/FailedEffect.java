package io.fenceline.guard;

/** Carries the checked exception of an effect through a guard that declares none. */
final class FailedEffect extends RuntimeException {

    final transient Exception failure;

    private FailedEffect(Exception failure) {
        super(null, failure, false, false);
        this.failure = failure;
    }

    static <C> C tunnel(GuardedStep.Effect<C> effect, C with) {
        try {
            effect.run(with);
            return with;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new FailedEffect(e);
        }
    }
}
