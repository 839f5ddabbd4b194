import type { Within } from '#http/edge/inner-request.ts'

/** For who looks at routes alone: an edge that nobody asks. */
export const noEdge: Within = () => Promise.reject(new Error('Nobody serves these routes.'))
