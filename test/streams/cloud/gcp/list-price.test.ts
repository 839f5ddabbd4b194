/** Google's price catalog, in the form that its API gives it, and what machines cost by it. */
import { expect } from 'chai'
import { readGcpPrices, type CatalogSku } from '#streams/cloud/gcp/list-price.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'

const sku = (description: string, nanos: number, more: object = {}, usageUnit = 'h'): CatalogSku => ({
  description,
  category: { usageType: 'OnDemand' },
  serviceRegions: ['europe-west1'],
  pricingInfo: [
    {
      pricingExpression: {
        usageUnit,
        tieredRates: [{ unitPrice: { units: '0', nanos, currencyCode: 'USD' } }],
      },
    },
  ],
  ...more,
})
const ram = (description: string, nanos: number) => sku(description, nanos, {}, 'GiBy.h')

const pages = [
  [
    sku('N2 Instance Core running in Belgium', 34_000_000),
    ram('N2 Instance Ram running in Belgium', 4_500_000),
    sku('N2 Custom Instance Core running in Belgium', 90_000_000),
    sku('N2 Sole Tenancy Instance Core running in Belgium', 91_000_000),
    sku('Spot Preemptible N2 Instance Core running in Belgium', 8_000_000, { category: { usageType: 'Preemptible' } }),
    sku('N2 Instance Core running in Iowa', 31_000_000, { serviceRegions: ['us-central1'] }),
  ],
  [
    sku('E2 Instance Core running in Belgium', 24_000_000),
    ram('E2 Instance Ram running in Belgium', 3_200_000),
    sku('Compute optimized Core running in Belgium', 37_000_000),
    ram('Compute optimized Ram running in Belgium', 5_000_000),
    sku('C3 Instance Core running in Belgium', 38_000_000),
    sku('A2 Instance Core running in Belgium', 34_000_000),
    ram('A2 Instance Ram running in Belgium', 4_600_000),
  ],
]

describe('list prices of Google Cloud', () => {
  it('are those of a core and of a gigabyte, added up for each size; one list is read for all regions', async () => {
    let lists = 0
    const open = () => ({
      async *pages(call: { path: string }) {
        lists++
        expect(call.path).to.equal('/services/6F81-5844-456A/skus')
        for (const skus of pages) yield { skus }
      },
    })
    const found = await Array.fromAsync(
      readGcpPrices(open as never, {} as CloudAccount, ['europe-west1', 'europe-west9']),
    )
    expect([lists, found.length, found[1]]).to.deep.equal([1, 2, []])
    const usdOf = new Map(found[0]!.map(({ name, value }) => [name, value]))
    // n2-standard-4: 4 x 0.034 + 16 x 0.0045 = 0.208; e2-micro: 0.25 x 0.024 + 1 x 0.0032; c2-standard-4: 4 x 0.037 + 16 x 0.005.
    expect(['n2-standard-4', 'e2-micro', 'c2-standard-4'].map((name) => usdOf.get(name))).to.deep.equal([
      0.208, 0.0092, 0.228,
    ])
    // No price of memory, an accelerator, and another family.
    expect(['c3-standard-4', 'a2-highgpu-1g', 'n1-standard-1'].map((name) => usdOf.get(name))).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ])
  })
})
