/** What reports of teams are asked with, of the address. */
import { param } from '../../router.ts'
import { periodAsked } from '../../part/period.tsx'

export const periodFallback = '30d'

/** Costs stand beside those of before unless a year ago is asked for. */
export const compareAsked = (): 'previous' | 'year' => (param('compare') === 'year' ? 'year' : 'previous')

export const costsAsked = () => ({ ...periodAsked(periodFallback), cost: param('cost') })
