/** Azure's retail prices, in the form that its API gives them, and what becomes of them. */
import { expect } from 'chai'
import { readAzurePrices, toListPrices, type RetailPrice } from '#streams/cloud/azure/price.ts'
import { account, answerServer, type AnswerServer } from './answer-server.ts'

const machine = (more: Partial<RetailPrice>): RetailPrice => ({
  armSkuName: 'Standard_D2s_v5',
  productName: 'Virtual Machines Dsv5 Series',
  skuName: 'D2s v5',
  type: 'Consumption',
  unitOfMeasure: '1 Hour',
  retailPrice: 0.115,
  effectiveStartDate: '2026-10-01T00:00:00Z',
  ...more,
})

describe('retail prices of Azure', () => {
  it('are those of Linux on demand; reservations and savings plans leave a part of them', () => {
    const found = toListPrices('westeurope', [
      machine({
        savingsPlan: [
          { term: '1 Year', retailPrice: 0.0805 },
          { term: '5 Years', retailPrice: 0.01 },
        ],
      }),
      machine({ retailPrice: 0.207, productName: 'Virtual Machines Dsv5 Series Windows' }),
      machine({ retailPrice: 0.2, skuName: 'D2s v5 Low Priority' }),
      machine({ retailPrice: 0.2, skuName: 'D2s v5 Spot' }),
      machine({ armSkuName: 'Standard_E2s_v5', retailPrice: 0 }),
      machine({ type: 'Reservation', reservationTerm: '1 Year', retailPrice: 604.44 }),
      machine({ type: 'Reservation', reservationTerm: '3 Years', retailPrice: 1208.88 }),
      machine({ armSkuName: 'Standard_D4s_v5', type: 'Reservation', reservationTerm: '1 Year', retailPrice: 10 }),
    ])
    // 604.44 / 8760 = 0.069, of 0.115 it is 0.6; 1208.88 / 26280 = 0.046, 0.4; 0.0805 / 0.115 = 0.7.
    const rate = { kind: 'commitment', region: 'westeurope' }
    expect(found).to.deep.equal([
      {
        kind: 'azure-vm',
        region: 'westeurope',
        name: 'Standard_D2s_v5',
        field: 'usd_hour',
        value: 0.115,
        effectiveOn: '2026-10-01',
      },
      { ...rate, name: 'azure-vm-reservation/Standard_D2s_v5', field: '1yr_no_upfront', value: 0.6 },
      { ...rate, name: 'azure-vm-reservation/Standard_D2s_v5', field: '3yr_no_upfront', value: 0.4 },
      { ...rate, name: 'azure-compute-savings-plan/Standard_D2s_v5', field: '1yr_no_upfront', value: 0.7 },
    ])
  })

  describe('over HTTP', () => {
    let server: AnswerServer | undefined
    afterEach(() => server?.close())

    it('are read page by page, without signing in', async () => {
      const sizes = ['Standard_D2s_v5', 'Standard_D4s_v5']
      server = await answerServer(({ query }) => {
        const at = Number(query['$skip'])
        const Items = [machine({ armSkuName: sizes[at]! })]
        return { body: { Items, NextPageLink: at === 0 ? 'https://prices.azure.com:443/next' : null } }
      })
      const pages = await Array.fromAsync(readAzurePrices(server.options, account, ['westeurope']))
      expect(pages.flat().map(({ name }) => name)).to.deep.equal(sizes)
      expect(server.signIns).to.deep.equal([])
      expect(server.asked.map(({ path, query }) => [path, query['$filter'], query['currencyCode']])[0]).to.deep.equal([
        '/api/retail/prices',
        "serviceName eq 'Virtual Machines' and armRegionName eq 'westeurope'",
        'USD',
      ])
    })
  })
})
