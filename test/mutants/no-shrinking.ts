import fc from "fast-check";

/** That a property fails is all that is asked here; the smallest story that breaks it is not. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
