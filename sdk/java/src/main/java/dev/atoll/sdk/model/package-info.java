/** Bodies of the REST API. */
package dev.atoll.sdk.model;
