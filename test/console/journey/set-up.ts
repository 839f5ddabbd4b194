/** What is set up once: accounts, bills, people, channels. */
import { expect } from 'chai'
import { dayMs, dayOf } from '#engine/value/day.ts'
import type { Journey } from '#test/console/journey/world.ts'
import { until } from '#test/harness/product.ts'

/** Three months ago, of which a bill may still come. */
const month = dayOf(new Date(Date.now() - 92 * dayMs)).slice(0, 7)
const next = dayOf(new Date(Date.parse(`${month}-01`) + 31 * dayMs)).slice(0, 7)
const row = (usd: string, day: string, to: string): string =>
  `${usd},${month}-01T00:00:00Z,${next}-01T00:00:00Z,${month}-${day}T00:00:00Z,${month}-${to}T00:00:00Z,USD,Databases,AWS`
const bill = [
  'BilledCost,BillingPeriodStart,BillingPeriodEnd,ChargePeriodStart,ChargePeriodEnd,BillingCurrency,ServiceName,ProviderName',
  row('12.50', '03', '04'),
  row('7.25', '04', '05'),
].join('\n')

export const setUpJourneys: readonly Journey[] = [
  {
    task: 'Connect an AWS account whose role is there',
    actionsMax: 4,
    walk: async (hand, { data }) => {
      await hand.menu('Sources')
      await hand.button('Connect an account')
      await hand.type('arn:aws:iam::123456789012:role/tidemark', hand.page.getByLabel('Role ARN'))
      await hand.button('Connect')
      await hand.page.getByText('It has read and write access.').waitFor()
      const { items } = await data('/cloud-accounts?limit=100')
      expect(items.map(({ name }: any) => name)).to.include('AWS 123456789012')
    },
  },
  {
    task: 'Upload a bill, preview it, and apply it',
    actionsMax: 8,
    walk: async (hand, { data }) => {
      await hand.menu('Sources')
      await hand.link('Uploaded bills')
      const file = { name: 'acme.csv', mimeType: 'text/csv', buffer: Buffer.from(bill) }
      await hand.chooseFile(file, hand.page.locator('input[type=file]'))
      await hand.type('acme', hand.page.getByLabel('Account', { exact: true }))
      await hand.button('Upload and preview')
      await hand.button('Apply…')
      await hand.page.getByRole('dialog').getByText('there is no current bill yet').waitFor()
      await hand.button('Apply')
      await hand.page.getByText('shown in reports', { exact: true }).first().waitFor()
      const receipt = `/reports/receipt?from=${month}-01&to=${month}-28&cloud_account_id=acme&limit=1`
      await until('reports have it', async () => Number((await data(receipt)).totalUSD) === 19.75)
    },
  },
  {
    task: 'Invite a person',
    actionsMax: 3,
    walk: async (hand, { data }) => {
      await hand.menu('Members')
      await hand.type('jo@example.com', hand.page.getByLabel('Email'))
      await hand.button('Invite')
      await hand.page.getByText('jo@example.com has been invited.').waitFor()
      const invited = (await data('/members')).find(({ email }: any) => email === 'jo@example.com')
      expect([invited.roleID, invited.status]).to.deep.equal(['viewer', 'invited'])
    },
  },
  {
    task: 'Have a Slack channel notified of exceeded budgets',
    actionsMax: 7,
    walk: async (hand, { data }) => {
      await hand.menu('Notifications')
      await hand.button('New channel')
      await hand.type('FinOps', hand.page.getByLabel('Name', { exact: true }))
      await hand.type('https://hooks.slack.com/services/T0/B0/planted', hand.page.getByLabel('Webhook URL'))
      await hand.button('Create channel')
      await hand.link('Subscriptions')
      await hand.click(hand.page.getByLabel('Notify FinOps about Budget Exceeded'))
      const { id } = (await data('/notifications/channels')).find(({ name }: any) => name === 'FinOps')
      const told = (await data('/notifications/subscriptions')).filter(({ channelID }: any) => channelID === id)
      expect(told.map(({ eventType, scopeType }: any) => [eventType, scopeType])).to.deep.equal([
        ['budget.exceeded', 'org'],
      ])
    },
  },
]
