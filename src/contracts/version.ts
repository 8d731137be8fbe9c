/** The version of this build, as `/healthz` tells it; a test keeps it equal to the package's. */
export const version = "0.1.0";
