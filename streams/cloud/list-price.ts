/** Prices as clouds publish them now, in the words of the operator's own price files. */
import type { CloudAccount } from '#streams/cloud/connector.ts'

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

/**
 * Reads all list prices of the regions that Tidemark uses, one list of one region after the other. What a list leaves out
 * is not sold in the region. @throws a `cloudFault`
 */
export type ReadListPrices = (
  account: CloudAccount,
  regions: readonly string[],
  signal?: AbortSignal,
) => AsyncIterable<readonly ListPrice[]>
