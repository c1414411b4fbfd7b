import fc from 'fast-check';

// A mutant is killed by the first example that fails: a simpler one would only take time.
fc.configureGlobal({ endOnFailure: true });
