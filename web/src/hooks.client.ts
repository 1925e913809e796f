// Hooks are loaded before the router reads the address, which must not see the code.
import "#lib/hub/code.ts";
