// What Vite makes of files that are not scripts.
/// <reference types="vite/client" />
