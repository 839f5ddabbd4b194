/** What remains of the price of machines with savings plans, by size, term and payment. */
import type { SavingsPlanOfferingRate } from '@aws-sdk/client-savingsplans'
import type { ListPrice } from '#streams/cloud/reference/list-price.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import { globalRegion, type AwsSession } from '#streams/cloud/aws/session/session.ts'

const pageMax = 1000
/** Pages of a region, which has about ten. Of a longer list nothing is used. */
const pagesMax = 60

const products: Readonly<Record<string, string>> = {
  Compute: 'aws-compute-savings-plan',
  EC2Instance: 'aws-ec2-instance-savings-plan',
}
type Offering = NonNullable<SavingsPlanOfferingRate['savingsPlanOffering']>

const yearSeconds = 31_536_000

/** `onDemand` has the prices of the region's sizes; rates of other sizes are left out. */
export async function readSavingsPlanRates(
  session: AwsSession,
  region: string,
  onDemand: readonly ListPrice[],
): Promise<ListPrice[]> {
  const usdOf = new Map(onDemand.map(({ name, value }) => [name, value]))
  const answers = session.pages(
    'savingsplans',
    globalRegion,
    (m, nextToken) =>
      new m.DescribeSavingsPlansOfferingRatesCommand({
        savingsPlanTypes: ['Compute', 'EC2Instance'],
        products: ['EC2'],
        serviceCodes: ['AmazonEC2'],
        filters: [
          { name: 'region', values: [region] },
          { name: 'productDescription', values: ['Linux/UNIX'] },
          { name: 'tenancy', values: ['shared'] },
        ],
        maxResults: pageMax,
        ...(nextToken && { nextToken }),
      }),
    ({ nextToken }) => nextToken,
  )
  const found = new Map<string, ListPrice>()
  let pages = 0
  for await (const { searchResults } of answers) {
    for (const rate of listOf(searchResults)) {
      const price = toListPrice(rate, region, usdOf)
      if (price) found.set(`${price.name} ${price.field}`, price)
    }
    if (++pages > pagesMax) return []
  }
  return [...found.values()]
}

function toListPrice(
  { savingsPlanOffering: offering = {}, rate, unit, usageType = '' }: SavingsPlanOfferingRate,
  region: string,
  usdOf: ReadonlyMap<string, number>,
): ListPrice | undefined {
  // `EU-BoxUsage:m5.large`: of a machine that runs, and not of a reservation of capacity that is unused.
  const [, size = ''] = /(?:^|-)BoxUsage:(.+)$/.exec(usageType) ?? []
  const usd = usdOf.get(size)
  const product = products[offering.planType ?? '']
  const field = tierOf(offering)
  if (usd === undefined || !product || !field || unit !== 'Hrs') return undefined
  const share = Number((Number(rate) / usd).toFixed(4))
  return share > 0 && share < 1
    ? { kind: 'commitment', region, name: `${product}/${size}`, field, value: share }
    : undefined
}

/** `1yr_no_upfront`; undefined if it is not paid in US dollars, or of another term. */
function tierOf({ paymentOption, durationSeconds = 0, currency }: Offering): string | undefined {
  const years = durationSeconds / yearSeconds
  if (!paymentOption || currency !== 'USD' || ![1, 3].includes(years)) return undefined
  return `${years}yr_${paymentOption.toLowerCase().replace(' ', '_')}`
}
