/** What reports of tags are asked with, of the address, and the receipts of their figures. */
import type { Query } from '../../address.ts'
import { param } from '../../router.ts'
import { periodAsked } from '../../part/period.tsx'

export const costsAsked = () => ({ ...periodAsked('30d'), cost: param('cost') })
export const compareAsked = (): 'previous' | 'year' => (param('compare') === 'year' ? 'year' : 'previous')

/** What carries a key. Undefined for keys that no parameter of a receipt names: `tag` divides at the first colon. */
export const keyReceipt = (key: string): Query | undefined =>
  key.includes(':') ? undefined : { ...costsAsked(), tag: key }

/** What has one value of a key. An empty value is asked for by no parameter. */
export const valueReceipt = (key: string, value: string): Query | undefined =>
  value === '' ? undefined : { ...costsAsked(), [`filter[tag:${key}]`]: value }
