/**
 * How much a test does whose amount is free: kills, seeds, machines. `TEST_DEPTH=whole npm test` does the whole of it, which takes hours;
 * every other run does what finds a fault that is not rare, so that one waits for it.
 */
export const depth = (usual: number, whole: number): number => (process.env['TEST_DEPTH'] === 'whole' ? whole : usual)
