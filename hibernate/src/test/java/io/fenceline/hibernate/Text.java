package io.fenceline.hibernate;

/** What the contract writes. */
interface Text {

    void name(String name);

    String text();

    void text(String written);
}
