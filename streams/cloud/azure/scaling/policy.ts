/** Native scaling policies of Azure for scale sets: the rules in the single autoscale setting of a set. */
import { createHash } from 'node:crypto'
import type { CloudAccount, NativePolicy, Replacement, ResourceRef } from '#streams/cloud/connector.ts'
import { listOf, memberOf, textAt, textsByName } from '#streams/cloud/kubernetes/api/json-access.ts'
import { autoscaleVersion, boundsIn, profilesIn } from './autoscale.ts'
import { set } from '#streams/cloud/azure/act/compute.ts'
import { requireExisting, unsupportedFault } from '#streams/cloud/resource/verb/kind.ts'
import { atOf, type At } from '#streams/cloud/azure/act/kind.ts'
import { numberAt } from '#streams/cloud/azure/map/resource.ts'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import { groupOf } from '#streams/cloud/azure/session/path.ts'
import { settingOf } from './scaling.ts'
import type { AzureOptions, Item } from '#streams/cloud/azure/session/session.ts'

/** A tag marks our settings and contains the policy's name, because names of settings do not allow all characters. */
const mark = 'tidemark-policy'

/** Azure names of our metrics. */
const metrics: Readonly<Record<string, string>> = { cpu_percent: 'Percentage CPU' }

const ourName = (theirs: string): string => Object.entries(metrics).find(([, name]) => name === theirs)?.[0] ?? theirs

const scalable = (ref: ResourceRef): boolean => ref.type === 'azure-vmss'

/** One policy for each rule that adds machines; the rule that removes them belongs to it. */
export async function policies(
  options: AzureOptions,
  account: CloudAccount,
  ref: ResourceRef,
): Promise<readonly NativePolicy[]> {
  if (!scalable(ref)) return []
  const setting = await settingOf(atOf(openAzure(account, options), ref))
  if (!setting) return []
  const ours = textsByName(setting['tags'])[mark]
  const name = ours ?? textAt(setting, 'name') ?? ''
  const rules = profilesIn(setting).flatMap((profile) => listOf(profile['rules']))
  const adding = rules.filter((rule) => textAt(rule, 'scaleAction', 'direction') === 'Increase')
  return adding.map((rule, place) => ({
    policyName: place === 0 ? name : `${name} ${place + 1}`,
    metric: ourName(textAt(rule, 'metricTrigger', 'metricName') ?? ''),
    target: numberAt(rule, 'metricTrigger', 'threshold') ?? 0,
    managedBy: ours === undefined ? 'customer' : 'tidemark',
  }))
}

/** A set has only one setting. It is overwritten, with all its rules, so that the set always has one. */
export async function replacePolicies(
  options: AzureOptions,
  account: CloudAccount,
  ref: ResourceRef,
  { policyName, metric, target }: Replacement,
): Promise<void> {
  if (!scalable(ref)) throw unsupportedFault(ref, 'scaling policies of its cloud')
  const theirs = metrics[metric]
  if (theirs === undefined) throw unsupportedFault(ref, `scaling policies of its cloud for ${metric}`)
  const at = atOf(openAzure(account, options), ref)
  const { item, capacity } = await requireExisting(set, at)
  const standing = await settingOf(at)
  const path = standing?.id ?? newId(at)
  const desired = capacity?.desired ?? 1
  const bounds = standing ? boundsIn(standing) : { min: Math.min(1, desired), max: Math.max(1, desired) }
  const scaled = { id: item!.id, location: memberOf(item, 'location') }
  await at.session.ask({
    method: 'PUT',
    path,
    query: { 'api-version': autoscaleVersion },
    body: {
      location: memberOf(item, 'location'),
      tags: { [mark]: policyName.slice(0, 256) },
      properties: settingProperties(path.split('/').at(-1), scaled, bounds, { metricName: theirs, target }),
    },
  })
}

/** Derived from the scaled resource, so a repeat has the same id. */
function newId({ session, id }: At): string {
  const name = `tidemark-${createHash('sha256').update(id.toLowerCase()).digest('hex').slice(0, 24)}`
  const group = encodeURIComponent(groupOf(id) ?? '')
  return session.path(`/resourceGroups/${group}/providers/Microsoft.Insights/autoscaleSettings/${name}`)
}

/** Azure has no target tracking: machines are added above the target, and removed below seven tenths of it. */
const downShare = 0.7

/** The setting of a resource that is scaled by one metric. */
export const settingProperties = (
  name: string | undefined,
  { id, location }: { id: string; location: unknown },
  { min, max }: { min: number; max: number },
  { metricName, target }: { metricName: string; target: number },
) => ({
  name,
  enabled: true,
  targetResourceUri: id,
  targetResourceLocation: location,
  profiles: [
    {
      name: 'tidemark',
      capacity: { minimum: String(min), maximum: String(max), default: String(min) },
      rules: [ruleOf(id, metricName, target, 'Increase'), ruleOf(id, metricName, target, 'Decrease')],
    },
  ],
})

const ruleOf = (id: Item['id'], metricName: string, target: number, direction: 'Increase' | 'Decrease') => ({
  metricTrigger: {
    metricName,
    metricResourceUri: id,
    timeGrain: 'PT1M',
    statistic: 'Average',
    timeWindow: 'PT5M',
    timeAggregation: 'Average',
    operator: direction === 'Increase' ? 'GreaterThan' : 'LessThan',
    threshold: direction === 'Increase' ? target : Number((target * downShare).toPrecision(6)),
  },
  scaleAction: { direction, type: 'ChangeCount', value: '1', cooldown: 'PT5M' },
})
