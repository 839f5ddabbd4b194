import { awsAnalytics, awsProduction, awsStaging } from './aws.ts'
import { azureCorp, azureDev } from './azure.ts'
import { addDays } from '#engine/value/day.ts'
import { attributesOf } from '#streams/cloud/simulated/world/attributes/attributes.ts'
import { gcpData } from './gcp.ts'
import type { Group } from './group.ts'
import { autoscalersOf, workloads } from './kubernetes.ts'
import type { SimAccount, SimResource } from './resource.ts'
import { onboardedDaysAgo, stories } from '#streams/cloud/simulated/world/stories/stories.ts'
import type { StoryChange, Story } from '#streams/cloud/simulated/world/stories/story.ts'
import { tagsOf } from './tags.ts'
import { uidOf } from './uid.ts'
import { typeOf } from '#streams/cloud/resource/resource-type.ts'

/** Everything in the simulated cloud: a pure function of the seed and the day from which stories count back. */
export interface World {
  seed: string
  today: string
  accounts: readonly SimAccount[]
  /** By external id; parents before their children. */
  resources: ReadonlyMap<string, readonly SimResource[]>
  /** By uid, which is unique across accounts. */
  byUid: ReadonlyMap<string, SimResource>
}

/** Age in days of ordinary accounts and resources: more than any range that users view. */
const oldDays = 900

const tables: readonly (Omit<SimAccount, 'born'> & { groups: readonly Group[]; ageDays?: number })[] = [
  {
    provider: 'aws',
    externalId: 'sim-aws-production',
    name: 'simulated-aws-production',
    regions: ['us-east-1', 'eu-west-1'],
    groups: awsProduction,
  },
  {
    provider: 'aws',
    externalId: 'sim-aws-staging',
    name: 'simulated-aws-staging',
    regions: ['us-east-1', 'us-west-2'],
    groups: awsStaging,
  },
  {
    provider: 'aws',
    externalId: 'sim-aws-analytics',
    name: 'simulated-aws-analytics',
    regions: ['us-east-1', 'eu-west-1'],
    groups: awsAnalytics,
    ageDays: onboardedDaysAgo,
  },
  {
    provider: 'gcp',
    externalId: 'sim-gcp-data',
    name: 'simulated-gcp-data',
    regions: ['us-central1', 'europe-west1'],
    groups: gcpData,
  },
  {
    provider: 'azure',
    externalId: 'sim-azure-corp',
    name: 'simulated-azure-corp',
    regions: ['eastus', 'westeurope'],
    groups: azureCorp,
  },
  {
    provider: 'azure',
    externalId: 'sim-azure-dev',
    name: 'simulated-azure-dev',
    regions: ['eastus', 'westeurope'],
    groups: azureDev,
  },
]

export function buildWorld(seed: string, today: string): World {
  const resources = new Map<string, readonly SimResource[]>()
  const accounts = tables.map(({ groups, ageDays = oldDays, ...table }) => {
    const account = { ...table, born: addDays(today, -ageDays) }
    resources.set(account.externalId, buildResources({ seed, today, account, named: new Map() }, groups))
    return account
  })
  const byUid = new Map([...resources.values()].flat().map((resource) => [resource.uid, resource]))
  return { seed, today, accounts, resources, byUid }
}

/** The resources of a story. */
export const storyResources = (world: World, story: Story): SimResource[] =>
  (world.resources.get(story.account) ?? []).filter(
    ({ name }) => story.names.length === 0 || story.names.includes(name),
  )

interface Site {
  seed: string
  today: string
  account: SimAccount
  /** Uids of resources created so far, by name. */
  named: Map<string, string>
}

const diskTypes = {
  aws: { type: 'aws-ebs-volume', size: 'gp3' },
  gcp: { type: 'gcp-disk', size: 'pd-balanced' },
  azure: { type: 'azure-disk', size: 'Premium_LRS' },
} as const

function buildResources(site: Site, groups: readonly Group[]): SimResource[] {
  return groups.flatMap((group) => {
    const names = group.count
      ? Array.from({ length: group.count }, (_, index) => `${group.name}-${index + 1}`)
      : [group.name]
    return names.flatMap((name) => {
      const resource = one(site, { ...group, name })
      site.named.set(name, resource.uid)
      const disks = group.disk ? [disk(site, group, resource)] : []
      return [resource, ...disks, ...(group.workloads ? inside(site, group, resource) : [])]
    })
  })
}

/** A machine's disk: its child, with the same tags, age and load. */
function disk(site: Site, group: Group, machine: SimResource): SimResource {
  const kind = diskTypes[site.account.provider]
  const { region, team, disk: gb = 0 } = group
  const made = one(site, { ...kind, name: `${machine.name}-disk`, region, team, gb })
  return { ...made, parentUid: machine.uid, tags: machine.tags, born: machine.born, load: machine.load }
}

function inside(site: Site, group: Group, cluster: SimResource): SimResource[] {
  const all = workloads(group.workloads ?? 'few')
  return all.map(({ kind, namespace, owned = false, specs, ...workload }) => {
    const { region, team } = group
    const made = one(site, { ...workload, type: `${cluster.type}-${kind}`, region, team, ...(specs && { specs }) })
    const path = namespace === '' ? [cluster.uid, kind, workload.name] : [cluster.uid, namespace, kind, workload.name]
    return {
      ...made,
      uid: path.join('/'),
      parentUid: cluster.uid,
      owned,
      policies: autoscalersOf(all, { kind, namespace, name: workload.name }),
      specs: namespace === '' ? made.specs : { namespace, ...made.specs },
    }
  })
}

function one(site: Site, group: Group): SimResource {
  const { seed, account } = site
  const { type, name, region, team } = group
  const resourceGroup = account.provider === 'azure' ? `rg-sim-${team.replace('/', '-')}` : undefined
  const uid = uidOf(seed, { type, name, region, account, group: resourceGroup })
  return {
    account,
    uid,
    name,
    type,
    region,
    parentUid: group.parent === undefined ? undefined : parentOf(site, group.parent),
    group: resourceGroup,
    size: group.size,
    sizeGB: group.gb,
    units: group.units,
    usage: group.usage ?? 0,
    tags: typeOf(type)?.taggable ? tagsOf(seed, uid, team) : {},
    owned: false,
    policies: (group.policies ?? []).map((policy) => ({ ...policy, managedBy: 'customer' })),
    ...behaviour(group, changeOf(account, name)),
    ...resolveDays(site, group, changeOf(account, name)),
  }
}

function behaviour(group: Group, change: StoryChange): Pick<SimResource, 'gbADay' | 'specs' | 'load' | 'hours'> {
  return {
    gbADay: change.gbADay ?? 0,
    specs: { ...attributesOf(group), ...change.specs },
    load: change.load ?? group.load ?? 'steady',
    hours: change.hours ?? group.hours ?? 'always',
  }
}

/** Converts days ago and days ahead to dates. Nothing is older than its account. */
function resolveDays(
  site: Site,
  group: Group,
  change: StoryChange,
): Pick<SimResource, 'born' | 'unchanged' | 'since' | 'until' | 'purchase' | 'resize' | 'formerHours'> {
  const ago = (count: number) => addDays(site.today, -count)
  const since = Object.entries(change.since ?? {}).map(([name, count]) => [name, ago(count)] as const)
  const until = Object.entries(group.until ?? {}).map(([name, count]) => [name, ago(-count)] as const)
  const { resize, purchase, formerHours } = change
  const born = ago(change.bornDaysAgo ?? group.ageDays ?? oldDays)
  return {
    born: born < site.account.born ? site.account.born : born,
    unchanged: change.unchangedDaysAgo === undefined ? undefined : ago(change.unchangedDaysAgo),
    since: Object.fromEntries(since),
    until: Object.fromEntries(until),
    purchase: purchase ? { ...purchase, until: ago(purchase.endedDaysAgo) } : group.purchase,
    formerHours: formerHours && { hours: formerHours.hours, to: ago(formerHours.toDaysAgo) },
    resize: resize && { size: resize.size, from: ago(resize.fromDaysAgo), to: ago(resize.toDaysAgo) },
  }
}

function parentOf(site: Site, name: string): string {
  const uid = site.named.get(name)
  if (uid === undefined) throw new Error(`${name} is declared after its children`)
  return uid
}

/** The combined changes of all stories about the resource. */
function changeOf(account: SimAccount, name: string): StoryChange {
  const changes = stories
    .filter((story) => story.account === account.externalId && story.names.includes(name))
    .map((story) => story.change)
  const specs = Object.assign({}, ...changes.map((change) => change.specs))
  return Object.assign({}, ...changes, { specs })
}
