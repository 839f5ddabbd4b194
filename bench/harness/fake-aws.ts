/** A far side that speaks as AWS does: machines, disks and snapshots of EC2 in pages, and nothing of any other service. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

export interface FakeAws {
  url: string
  /** Answers given since it was last set. */
  answered: number
  /** Milliseconds until each answer. */
  pauseMs: number
  close: () => Promise<void>
}

/** How many of a kind lie in each region, by the action that lists them. */
export type Held = Readonly<Record<string, number>>

export async function fakeAws(held: Held, pageSize: number): Promise<FakeAws> {
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    const [, region = '', service = ''] =
      /Credential=[^/]+\/\d+\/([^/]+)\/([^/]+)/.exec(request.headers.authorization ?? '') ?? []
    fake.answered++
    await delay(fake.pauseMs)
    const { type, text } = answerOf(service, region, body, { held, pageSize })
    response.setHeader('content-type', type)
    response.end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const fake: FakeAws = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered: 0,
    pauseMs: 0,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return fake
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  return body
}

function answerOf(service: string, region: string, body: string, world: { held: Held; pageSize: number }) {
  const xml = (text: string) => ({ type: 'text/xml', text })
  if (service === 's3') return xml('<ListAllMyBucketsResult><Buckets/></ListAllMyBucketsResult>')
  if (service === 'cloudfront' || service === 'route53') return xml('<Nothing/>')
  const asked = new URLSearchParams(body)
  const action = asked.get('Action')
  if (action === null) return { type: 'application/json', text: '{}' }
  const isPublicAsked = asked.has('RestorableBy.1')
  const inner =
    service === 'ec2' && !isPublicAsked
      ? pageOf(action, region, Number(asked.get('NextToken') ?? 0), world)
      : `<${action}Result/>`
  return xml(`<${action}Response>${inner}</${action}Response>`)
}

function pageOf(
  action: string,
  region: string,
  from: number,
  { held, pageSize }: { held: Held; pageSize: number },
): string {
  const shape = shapes[action]
  const count = held[action] ?? 0
  if (!shape) return ''
  const to = Math.min(count, from + pageSize)
  const items = Array.from({ length: to - from }, (_, n) => shape.item(`${region}-${from + n}`, region)).join('')
  return `<${shape.list}>${items}</${shape.list}>${to < count ? `<nextToken>${to}</nextToken>` : ''}`
}

interface Shape {
  list: string
  item: (name: string, region: string) => string
}

const tags = (name: string) =>
  `<tagSet><item><key>Name</key><value>${name}</value></item><item><key>team</key><value>shop</value></item></tagSet>`

const shapes: Readonly<Record<string, Shape>> = {
  DescribeInstances: {
    list: 'reservationSet',
    item: (name, region) =>
      `<item><reservationId>r-${name}</reservationId><instancesSet><item><instanceId>i-${name}</instanceId><imageId>ami-1</imageId><instanceState><code>16</code><name>running</name></instanceState><instanceType>m5.large</instanceType><launchTime>2026-01-01T00:00:00.000Z</launchTime><placement><availabilityZone>${region}a</availabilityZone><tenancy>default</tenancy></placement><monitoring><state>disabled</state></monitoring><subnetId>subnet-1</subnetId><vpcId>vpc-1</vpcId><architecture>x86_64</architecture><rootDeviceName>/dev/xvda</rootDeviceName><blockDeviceMapping><item><deviceName>/dev/xvda</deviceName><ebs><volumeId>vol-${name}</volumeId><attachTime>2025-03-01T00:00:00.000Z</attachTime></ebs></item></blockDeviceMapping>${tags(name)}<ebsOptimized>true</ebsOptimized><platformDetails>Linux/UNIX</platformDetails></item></instancesSet></item>`,
  },
  DescribeVolumes: {
    list: 'volumeSet',
    item: (name, region) =>
      `<item><volumeId>vol-${name}</volumeId><size>60</size><availabilityZone>${region}a</availabilityZone><status>in-use</status><createTime>2025-03-01T00:00:00.000Z</createTime><attachmentSet><item><volumeId>vol-${name}</volumeId><instanceId>i-${name}</instanceId><device>/dev/xvda</device><status>attached</status></item></attachmentSet>${tags(name)}<volumeType>gp3</volumeType><iops>3000</iops><throughput>125</throughput><encrypted>true</encrypted></item>`,
  },
  DescribeSnapshots: {
    list: 'snapshotSet',
    item: (name) =>
      `<item><snapshotId>snap-${name}</snapshotId><volumeId>vol-${name}</volumeId><status>completed</status><startTime>2025-03-01T00:00:00.000Z</startTime><volumeSize>60</volumeSize>${tags(name)}<encrypted>true</encrypted></item>`,
  },
}
