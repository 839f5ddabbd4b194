/** Prices as clouds publish them now, in the words of the operator's own price files. */

/** One published value: a price in US dollars, or the fraction of it that remains with a commitment. */
export interface ListPrice {
  /** `ec2`, `rds` ... as in price files. */
  kind: string
  region: string
  name: string
  field: string
  value: number
  /** The day from which the cloud charges it, YYYY-MM-DD; left out if the list does not say: then the day it was first read. */
  effectiveOn?: string
}
