/**
 * Consolidated bills: those of payers and billing accounts contain the charges of their members, projects or
 * subscriptions.
 */
import { accountId } from '#streams/account/id.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import { dayLines, frameOf, loose, type Books } from './bill.ts'
import { between } from '#streams/cloud/simulated/world/prng.ts'
import type { SimAccount } from '#streams/cloud/simulated/world/resource.ts'
import type { World } from '#streams/cloud/simulated/world/world.ts'
import type { Provider } from '#streams/names.ts'

/** Daily charge of a member without an inventory. */
interface Charge {
  service: string
  category: string
  usdADay: number
}

interface Member {
  externalId: string
  name: string
  charges: readonly Charge[]
  /** The data transfer of all members is charged to this one. */
  carriesTransfer?: true
  /** An account that nobody connects; it is only in the bill. */
  isForgotten?: true
}

interface Payer {
  provider: Provider
  externalId: string
  name: string
  region: string
  /** External ids of accounts with an inventory. */
  members: readonly string[]
  others: readonly Member[]
}

export const payers: readonly Payer[] = [
  {
    provider: 'aws',
    externalId: 'sim-aws-payer',
    name: 'simulated-aws-payer',
    region: 'us-east-1',
    members: ['sim-aws-production', 'sim-aws-staging', 'sim-aws-analytics'],
    others: [
      { externalId: 'sim-aws-network', name: 'simulated-aws-network', charges: [], carriesTransfer: true },
      {
        externalId: 'sim-aws-security',
        name: 'simulated-aws-security',
        charges: [
          { service: 'Amazon GuardDuty', category: 'Security', usdADay: 4 },
          { service: 'AWS CloudTrail', category: 'Management and Governance', usdADay: 1.5 },
        ],
      },
      {
        externalId: 'sim-aws-sandbox',
        name: 'simulated-aws-sandbox',
        charges: [{ service: 'Amazon EC2', category: 'Compute', usdADay: 6 }],
        isForgotten: true,
      },
    ],
  },
  {
    provider: 'gcp',
    externalId: 'sim-gcp-payer',
    name: 'simulated-gcp-billing',
    region: 'us-central1',
    members: ['sim-gcp-data'],
    others: [
      { externalId: 'sim-gcp-network', name: 'simulated-gcp-network', charges: [], carriesTransfer: true },
      {
        externalId: 'sim-gcp-lab',
        name: 'simulated-gcp-lab',
        charges: [{ service: 'Vertex AI', category: 'AI and Machine Learning', usdADay: 5 }],
      },
    ],
  },
  {
    provider: 'azure',
    externalId: 'sim-azure-payer',
    name: 'simulated-azure-billing',
    region: 'eastus',
    members: ['sim-azure-corp', 'sim-azure-dev'],
    others: [],
  },
]

/** An account as organizations connect it. */
export type ConnectableAccount = Pick<SimAccount, 'provider' | 'externalId' | 'name' | 'regions'> & {
  /** The external id of the payer whose bill contains its charges. */
  payer?: string
}

/** `billingExport.kind` of an account without its own bill: its charges are in its payer's bill. */
export const billedByPayer = 'payer'

/**
 * All payers, each after its members, so that the members are connected before its lines arrive; without accounts that
 * nobody connects.
 */
export const listConnectableAccounts = ({ accounts }: Pick<World, 'accounts'>): ConnectableAccount[] =>
  payers.flatMap(({ provider, externalId, name, region, members, others }) => [
    ...accounts
      .filter((account) => members.includes(account.externalId))
      .map((account) => ({
        provider,
        externalId: account.externalId,
        name: account.name,
        regions: account.regions,
        payer: externalId,
      })),
    ...others
      .filter(({ isForgotten }) => !isForgotten)
      .map((other) => ({
        provider,
        externalId: other.externalId,
        name: other.name,
        regions: [region],
        payer: externalId,
      })),
    { provider, externalId, name, regions: [region] },
  ])

/** Before all stories. */
const born = '2000-01-01'

/** Payers, and members that exist only in bills: they have no resources. */
export const accountsWithoutResources: readonly SimAccount[] = payers.flatMap(
  ({ provider, region, others, ...payer }) =>
    [payer, ...others].map(({ externalId, name }) => ({ provider, externalId, name, regions: [region], born })),
)

/**
 * All lines of a payer's bill for a day. Members' lines include changes that the payer's organization has made to their
 * resources.
 */
export function payerLines(
  { world, log, account }: Pick<Books, 'world' | 'log' | 'account'>,
  payer: Payer,
  day: string,
): BillingLine[] {
  const booksOf = (sim: SimAccount): Books => {
    const { provider, externalId, name, regions } = sim
    const id = accountId(account.orgId, provider, externalId)
    return { world, log, sim, account: { ...account, id, provider, externalId, name, regions } }
  }
  const known = new Map([...world.accounts, ...accountsWithoutResources].map((sim) => [sim.externalId, sim]))
  const members = payer.members.flatMap((member) => dayLines(booksOf(known.get(member)!), day))
  const others = payer.others.flatMap((other) => chargesOf(booksOf(known.get(other.externalId)!), other, payer, day))
  const carrier = payer.others.find(({ carriesTransfer }) => carriesTransfer)
  const carried = carrier && { SubAccountId: carrier.externalId, SubAccountName: carrier.name }
  return [...members, ...others].map((line) => ({
    ...line,
    cloudAccountId: account.id,
    ...(line.ServiceName === 'Data transfer' && carried),
  }))
}

function chargesOf(books: Books, { externalId, charges }: Member, { region }: Payer, day: string): BillingLine[] {
  const frame = frameOf(books, day)
  return charges.map(({ service, category, usdADay }) => {
    const usd = usdADay * between(0.9, 1.1, books.world.seed, externalId, service, day)
    return loose(frame, day, service, usd.toFixed(2), {
      ServiceName: service,
      ServiceCategory: category,
      RegionId: region,
      RegionName: region,
      ChargeCategory: 'Usage',
      ChargeFrequency: 'Usage-Based',
      ChargeDescription: `Simulated: ${service} in ${region}`,
      PricingCategory: 'Standard',
    })
  })
}
