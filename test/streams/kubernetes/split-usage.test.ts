import { expect } from 'chai'
import { validMessages } from '#test/streams/kubernetes/valid.ts'
import type { KubernetesUsage } from '#streams/kubernetes/messages.ts'
import { intervalBefore } from '#streams/kubernetes/interval.ts'
import { diskOf } from '#streams/kubernetes/disk.ts'
import { partsOf } from '#streams/kubernetes/split-usage.ts'

const about = { clusterUid: 'c', from: '2026-01-15T10:00:00Z', seconds: 3600 }
const nodes = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ name: `n${n}`, cpuCores: 1, memoryBytes: 1 }))
const pods = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, n) => ({ namespace: 's', name: `p${n}`, node: 'n0', ...more }))

describe('usage in messages', () => {
  it('is cut at a thousand entries of a list, loses none, and says of each what it is of', () => {
    const usage: KubernetesUsage = { ...about, nodes: nodes(1200), pods: pods(2500) }
    const parts = [...partsOf(usage)]
    expect(parts.map((part) => [part.nodes?.length ?? 0, part.pods?.length ?? 0])).to.deep.equal([
      [1000, 0],
      [200, 1000],
      [0, 1000],
      [0, 500],
    ])
    expect(parts.flatMap((part) => part.nodes ?? [])).to.deep.equal(usage.nodes)
    expect(parts.flatMap((part) => part.pods ?? [])).to.deep.equal(usage.pods)
    expect(parts.map(({ clusterUid, from, seconds }) => ({ clusterUid, from, seconds }))).to.deep.equal(
      parts.map(() => about),
    )
    expect(validMessages(parts)).to.equal(true)
  })

  it('stays below what a server takes, also where labels are long', () => {
    const labels = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`l${n}`, 'x'.repeat(100)]))
    const parts = [...partsOf({ ...about, pods: pods(1000, { labels }) })]
    expect(parts).to.have.length.above(1)
    expect(parts.every((part) => JSON.stringify(part).length < 700_000)).to.equal(true)
    expect(parts.flatMap((part) => part.pods ?? [])).to.have.length(1000)
  })

  it('is of five minutes that no other has and no hour divides, whenever it is asked for', () => {
    const told = (at: string) => intervalBefore(new Date(at)).from.toISOString()
    expect(['10:00:00', '10:02:13', '10:04:59', '10:05:00'].map((at) => told(`2026-01-15T${at}Z`))).to.deep.equal([
      '2026-01-15T09:55:00.000Z',
      '2026-01-15T09:55:00.000Z',
      '2026-01-15T09:55:00.000Z',
      '2026-01-15T10:00:00.000Z',
    ])
  })

  it('names disks as bills do, by whichever driver a volume has', () => {
    const azure = '/subscriptions/S-1/resourceGroups/R/providers/Microsoft.Compute/disks/D'
    expect([
      diskOf({ handle: 'vol-1' }),
      diskOf({ handle: azure }),
      diskOf({ ebs: 'aws://us-east-1a/vol-2' }),
      diskOf({ ebs: 'vol-3' }),
      diskOf({ gce: 'pd-1' }),
      diskOf({ azure }),
      diskOf({ handle: '', ebs: '', gce: '', azure: '' }),
    ]).to.deep.equal(['vol-1', azure.toLowerCase(), 'vol-2', 'vol-3', 'pd-1', azure.toLowerCase(), undefined])
  })
})
