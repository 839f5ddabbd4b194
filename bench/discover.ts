/**
 * Discovery of an AWS account: 10,000 resources in four regions, with a server in this process that takes 50 ms per
 * page, compared with the SDK's paginators reading the same lists with the same concurrency, without mapping them.
 * Prints the ratio of the times and the calls of each. Then a larger account without pauses, in pages of 1,000 as AWS has
 * them: the heap that its scan holds, and its rate against the same paginators.
 * Usage: npm run -s bench -- discover [--resources 10000] [--pause 50] [--page 100] [--runs 5] [--large 100000]
 */
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { systemClock } from '#engine/clock.ts'
import { chains, globalFinders } from '#streams/cloud/aws/discover/index.ts'
import { discoverAws } from '#streams/cloud/aws/discover/discover.ts'
import { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { Caller } from '#streams/cloud/call/call.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { bareLists } from './harness/bare-paginators.ts'
import { fakeAws } from './harness/fake-aws.ts'
import { figure, goal, quantile, say } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    resources: { type: 'string', default: '10000' },
    pause: { type: 'string', default: '50' },
    page: { type: 'string', default: '100' },
    runs: { type: 'string', default: '5' },
    large: { type: 'string', default: '100000' },
  },
})
const [resources, pause, page, runs] = [values.resources, values.pause, values.page, values.runs].map(Number) as [
  number,
  number,
  number,
  number,
]

const regions = ['eu-west-1', 'us-east-1', 'us-east-2', 'us-west-2']
/** Machines, disks and snapshots in each region. */
const shares = (count: number) => {
  const share = (part: number) => Math.round((count / regions.length) * part)
  return { DescribeInstances: share(0.6), DescribeVolumes: share(0.32), DescribeSnapshots: share(0.08) }
}
const far = await fakeAws(shares(resources), page)
const account: CloudAccount = {
  id: 'acct-1',
  orgId: 'org-1',
  provider: 'aws',
  externalId: '123456789012',
  name: 'fake',
  regions,
  credentials: null,
}

/** The types whose lists the bare paginators read. */
const compared = new Set([
  'aws-eks',
  'aws-asg',
  'aws-ec2',
  'aws-ebs-volume',
  'aws-ebs-snapshot',
  'aws-nat-gateway',
  'aws-eip',
  'aws-aurora-cluster',
  'aws-rds',
  'aws-ecs-cluster',
  'aws-lambda',
  'aws-log-group',
  'aws-alb',
  'aws-dynamodb-table',
  'aws-elasticache',
  'aws-redshift',
  'aws-s3-bucket',
])

interface Run {
  url?: string
  only?: ReadonlySet<string>
  each?: (count: number) => void
}

/** Paced as in the product. */
async function discovered({ url = far.url, only = compared, each = () => {} }: Run = {}): Promise<number> {
  const caller = new Caller({ clock: systemClock, meter: { made: () => {} }, random: Math.random })
  const credentials = async () => ({ accessKeyId: 'AKID', secretAccessKey: 'secret' })
  const open = (of: CloudAccount, signal?: AbortSignal) =>
    new AwsSession(of, { caller, endpoint: url }, { credentials }, signal)
  const discovery = discoverAws({ open })(account, undefined, only)
  let count = 0
  for await (const some of discovery.pages) each((count += some.length))
  if (discovery.message !== undefined) throw new Error(discovery.message)
  return count
}

const bare = (url = far.url) => bareLists(url, regions, { regions: 4, services: 2 })

/** Milliseconds and calls. */
async function timed(run: () => Promise<number>): Promise<{ ms: number; calls: number }> {
  far.answered = 0
  const began = performance.now()
  const count = await run()
  const ms = performance.now() - began
  if (count !== resources) throw new Error(`found ${count} of ${resources} resources`)
  return { ms, calls: far.answered }
}

await timed(() => discovered())
await timed(() => bare())
far.pauseMs = pause
const [ours, theirs] = [[], []] as { ms: number; calls: number }[][]
for (let run = 0; run < runs; run++) {
  ours!.push(await timed(() => discovered()))
  theirs!.push(await timed(() => bare()))
}
const median = (of: readonly { ms: number }[]) =>
  quantile(
    of.map(({ ms }) => ms),
    0.5,
  )
const [our, their] = [median(ours!), median(theirs!)]
say(
  `${figure(resources)} resources of ${regions.length} regions, ${pause} ms a page of ${page}: median of ${runs} runs`,
)
say(
  `discovery ${figure(our)} ms, ${figure(ours![0]!.calls)} calls; bare paginators ${figure(their)} ms, ${figure(theirs![0]!.calls)} calls`,
)
goal('discover', 'of the rate of bare paginators', their / our, { min: 0.7 })
goal('discover', 'calls beside the least possible', ours![0]!.calls / theirs![0]!.calls, { max: 1 })
// Loads the clients of all services.
const everyType = new Set([...chains.flat(), ...globalFinders].flatMap(({ types }) => types))
far.pauseMs = 0
await discovered({ only: everyType })
await far.close()

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const large = Number(values.large)
const wide = await fakeAws(shares(large), 1000)
const heapMB = () => {
  collect()
  return process.memoryUsage().heapUsed / 1024 / 1024
}
const before = heapMB()
let [most, next] = [0, 0]
const note = (count: number) => {
  if (count < next) return
  next = count + large / 20
  most = Math.max(most, heapMB() - before)
}
const found = await discovered({ url: wide.url, only: everyType, each: note })
// And the account itself.
if (found !== large + 1) throw new Error(`found ${found} of ${large + 1} resources`)
const msOf = async (run: () => Promise<number>) => {
  const from = performance.now()
  await run()
  return performance.now() - from
}
await msOf(() => bare(wide.url))
const [ourMs, theirMs] = [await msOf(() => discovered({ url: wide.url })), await msOf(() => bare(wide.url))]
say(
  `${figure(large)} resources without pauses: ${figure(large / (ourMs / 1000))} a second, bare paginators ${figure(large / (theirMs / 1000))}; at most ${most.toFixed(1)} MB of heap held`,
)
goal('discover', 'MB of heap held by a scan of many', most, { max: 64 })
goal('discover', 'of the rate of bare paginators, of many without pauses', theirMs / ourMs, { min: 0.5 })
await wide.close()
process.exit(0)
