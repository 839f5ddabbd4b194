/** What tests of the operations of the simulated cloud have in common: a clock that is moved by hand, and short names. */
import type { Fault } from '#engine/value/fault.ts'
import {
  bucketOf,
  type CloudAction,
  type ActionKind,
  type CloudAccount,
  type ResourceRef,
} from '#streams/cloud/connector.ts'
import { simulatedCloud, type SimulatedCloud } from '#streams/cloud/simulated/connector.ts'

export const began = Date.parse('2026-03-16T10:30:00Z')

/** An account that its own producers feed. */
export const foreign: CloudAccount = {
  id: 'acct-2',
  orgId: 'org',
  provider: 'aws',
  externalId: '123456789012',
  name: '',
  regions: [],
  credentials: null,
}

/** Everything an asynchronous source gives. */
export async function collected<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of source) all.push(item)
  return all
}

/** What came of it: `ok`, or the bucket and the code of the error. */
export async function outcome(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'ok'
  } catch (error) {
    return `${bucketOf(error)} ${(error as Fault).code}`
  }
}

/** Opens the simulated cloud, of a folder where one is named. */
export function operated(folder?: string) {
  let time = began
  const waits: number[] = []
  const sim = simulatedCloud({
    seed: 'tidemark',
    now: () => new Date(time),
    sleep: async (ms) => void waits.push(ms),
    ...(folder !== undefined && { folder }),
  })
  let serial = 0
  const of = (name: string) => held(sim, name)
  return {
    sim,
    waits,
    of,
    pass: (seconds: number) => (time += seconds * 1000),
    act: (kind: ActionKind, name: string, more: Partial<CloudAction> = {}) => {
      const { account, ref } = of(name)
      return sim.act(account, { id: `action-${(serial += 1)}`, kind, resource: ref, ...more })
    },
    look: (name: string) => sim.look(of(name).account, of(name).ref),
    found: async (name: string) =>
      (await collected(sim.discover(of(name).account).pages)).flat().find((one) => one.name === name),
    billed: async (name: string, from: string, to = from) =>
      (await collected(sim.bill(of(name).account, from, to))).flat().filter((line) => line.ResourceName === name),
  }
}

/** A resource of the world and the account it is in. */
export function held(sim: SimulatedCloud, name: string): { account: CloudAccount; ref: ResourceRef } {
  const { uid, type, region, account } = [...sim.world.byUid.values()].find((resource) => resource.name === name)!
  const { provider, externalId } = account
  const ref = { resourceUid: uid, type, region }
  return { account: { ...foreign, id: 'acct-1', provider, externalId, name: account.name }, ref }
}
