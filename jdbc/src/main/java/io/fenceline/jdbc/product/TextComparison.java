package io.fenceline.jdbc.product;

/** A database's comparison of texts in a key column, which decides what texts name the same row. The strictest comes first. */
public enum TextComparison {

    /** Two texts are equal if they have the same characters. */
    EXACT,

    /** As {@link #EXACT}, but spaces at the end do not count. */
    PADDED,

    /** Texts with different characters may be equal: the collation or the type ignores case, accents or more. */
    LOOSE
}
