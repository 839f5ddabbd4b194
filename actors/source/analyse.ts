/**
 * Analyses a pull request and reports to its host: the cost of the deployment's space, and whether the merged result
 * could be deployed. One status for one commit: a repeated one replaces it.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { Space } from '#actors/catalog/entity.ts'
import type { Tools } from '#actors/tools.ts'
import { spaceCost } from '#analytics/source/questions.ts'
import { addDays, dayOf } from '#engine/value/day.ts'
import type { EffectCall, EffectWork } from '#engine/run/effect.ts'
import { Fault } from '#engine/value/fault.ts'
import { fetchOutside } from '#streams/delivery/outbound.ts'
import { analysePullRequest, type AnalyseInput } from './effect.ts'
import { Deployment } from './entity.ts'
import { findingsOf } from './lint.ts'
import { retries } from '#streams/retry.ts'

export type AnalyseTools = Pick<Tools, 'em' | 'reads' | 'ask' | 'cost' | 'now' | 'source' | 'publicUrl' | 'report'>

/** Complete days that count as a month. */
const days = 30
/** Maximum characters of a description that hosts accept. */
const descriptionMax = 140
const timeoutMs = 10_000

export const analyseWork = (tools: AnalyseTools): EffectWork => ({
  name: analysePullRequest.name,
  // In this pool, a host that hangs does not delay actions.
  pool: 'deliver',
  retry: retries.commitStatus,
  run: (input, call) => analyse(tools, input as AnalyseInput, call),
  failed: async (_input, { key }, fault) =>
    tools.report.warn({ effect: key, err: fault }, 'a commit status could not be posted'),
})

async function analyse(tools: AnalyseTools, input: AnalyseInput, { orgId }: EffectCall): Promise<void> {
  const em = tools.em()
  const deployment = await em.findOne(Deployment, { orgId, id: input.deploymentId })
  // It was deleted meanwhile: there is nothing to report.
  if (!deployment || tools.source.apiUrl === undefined) return
  const space = await em.findOne(Space, { orgId, id: deployment.spaceId })
  const findings = findingsOf(deployment, space)
  const cost = space && input.showsCost ? await costOf(tools, orgId, space) : undefined
  const at = tools.publicUrl()
  await post(tools, input, {
    state: findings.length === 0 ? 'success' : 'failure',
    context: 'tidemark/analysis',
    description: describeSpace(cost, findings),
    ...(at !== '' && { target_url: `${at}/deployments/${deployment.id}` }),
  })
}

function describeSpace(cost: string | undefined, findings: readonly string[]): string {
  const money = cost === undefined ? '' : `The space cost ${cost} USD in the last ${days} days. `
  // Cuts between characters, since half a surrogate pair is invalid text.
  const said = Array.from(`${money}${findings[0] ?? 'No problems found.'}`)
  return said.length > descriptionMax ? `${said.slice(0, descriptionMax - 1).join('')}…` : said.join('')
}

const moneyFormat = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** Maximum resources of a cluster in one query. */
const membersMax = 1000

/** The cost of a cluster includes everything below it, such as machines and disks, also deleted ones. */
const membersSql = `
  with recursive member as (
    select uid from resource where org_id = $1 and cloud_account_id = $2 and uid = $3
    union select r.uid from resource as r join member on r.parent_uid = member.uid
    where r.org_id = $1 and r.cloud_account_id = $2)
  select uid from member limit $4`

/** Empty for a space that is not a cluster. */
async function membersOf({ reads }: AnalyseTools, org: string, space: Space): Promise<string[]> {
  const { cloudAccountId, clusterUid } = space
  if (clusterUid === null || clusterUid === undefined) return []
  const rows = await reads.rows<{ uid: string }>(membersSql, [org, cloudAccountId, clusterUid, membersMax + 1])
  return rows.length === 0 ? [clusterUid] : rows.map(({ uid }) => uid)
}

/**
 * US dollars of the last complete days, rounded to cents; undefined for a cluster with too many resources for a query.
 */
async function costOf(tools: AnalyseTools, org: string, space: Space): Promise<string | undefined> {
  const { ask, cost, now } = tools
  const uids = await membersOf(tools, org, space)
  if (uids.length > membersMax) return undefined
  const today = dayOf(now())
  const { cloudAccountId, region } = space
  const [found] = await ask(spaceCost, {
    org,
    cost,
    from: addDays(today, -days),
    to: addDays(today, -1),
    accounts: [cloudAccountId],
    // A cluster is found by its uid.
    regions: uids.length === 0 ? [region] : [],
    uids,
  })
  return moneyFormat.format(Number(found?.cost_usd ?? 0))
}

/**
 * The operator sets the address of the host, so it may be in a private network. Redirects are not followed, so that the
 * token is sent only there.
 * @throws Fault `transient` if a retry may succeed
 */
async function post({ source }: AnalyseTools, { fullName, headSha }: AnalyseInput, status: object): Promise<void> {
  const path = fullName.split('/').map(encodeURIComponent).join('/')
  const { status: code, headers } = await fetchOutside(`${source.apiUrl}/repos/${path}/statuses/${headSha}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      Accept: 'application/json',
      'User-Agent': 'Tidemark-Source/1',
      ...(source.apiToken !== undefined && { Authorization: `Bearer ${source.apiToken}` }),
    },
    body: JSON.stringify(status),
    timeoutMs,
    bytesMax: 1024 * 1024,
    allowPrivate: true,
  })
  if (code >= 200 && code < 300) return
  if (code === 408 || code === 429 || code >= 500 || (code === 403 && isLimited(headers)))
    throw Fault.transient('upstream_failed', `The host returned ${code}.`)
  throw Fault.refused('status_refused', `The host returned ${code}.`)
}

/** GitHub's rate limit, which is temporary. */
const isLimited = (headers: IncomingHttpHeaders): boolean =>
  headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0'
