/**
 * Sandboxes of an Atoll server. {@link dev.atoll.sdk.Atoll} is the client, {@link dev.atoll.sdk.Sandbox} one sandbox.
 * All classes may be used by several threads at a time, except streams and terminals, which one thread reads.
 */
package dev.atoll.sdk;
