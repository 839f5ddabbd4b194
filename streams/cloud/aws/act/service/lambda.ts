/** Functions of Lambda. */
import {
  absent,
  ignoreNotFound,
  unsupportedFault,
  type ResourceKind,
  type ResourceState,
} from '#streams/cloud/resource/verb/kind.ts'
import { dropNullish, numberIn } from '#streams/cloud/resource/verb/spec.ts'
import type { At, Verbs } from '#streams/cloud/aws/act/kind.ts'

async function look(at: At): Promise<ResourceState> {
  const { session, region, name } = at
  const found = await ignoreNotFound(
    session.ask('lambda', region, (m) => new m.GetFunctionConfigurationCommand({ FunctionName: name })),
  )
  if (!found) return absent
  const held = await listProvisioned(at)
  return {
    exists: true,
    status: found.State === 'Pending' ? 'pending' : 'running',
    specs: dropNullish({
      memory_mb: found.MemorySize,
      timeout_seconds: found.Timeout,
      provisioned_concurrency: held?.reduce((sum, { units }) => sum + units, 0),
    }),
  }
}

/** Aliases and versions that are held ready, with how many instances; undefined where that may not be looked at. */
async function listProvisioned({ session, region, name }: Omit<At, 'ref'>) {
  const answer = await session
    .ask('lambda', region, (m) => new m.ListProvisionedConcurrencyConfigsCommand({ FunctionName: name }))
    .catch(() => undefined)
  return answer?.ProvisionedConcurrencyConfigs?.map((one) => ({
    qualifier: /:([^:]+)$/.exec(one.FunctionArn ?? '')?.[1] ?? '',
    units: one.RequestedProvisionedConcurrentExecutions ?? 0,
  }))
}

const set: Verbs['set'] = async (at, specs) => {
  const { session, region, name } = at
  const change = dropNullish({
    MemorySize: numberIn(specs, 'memory_mb'),
    Timeout: numberIn(specs, 'timeout_seconds'),
  })
  const units = numberIn(specs, 'provisioned_concurrency')
  if (units !== undefined) await hold(at, units)
  if (Object.keys(change).length > 0)
    await session.ask(
      'lambda',
      region,
      (m) => new m.UpdateFunctionConfigurationCommand({ FunctionName: name, ...change }),
    )
}

/** Of several that are held ready nobody says which shall have fewer. */
async function hold(at: At, units: number): Promise<void> {
  const { session, region, name, ref } = at
  const held = (await listProvisioned(at)) ?? []
  const [only] = held
  if (!only || held.length > 1)
    throw unsupportedFault(ref, 'setting provisioned concurrency unless exactly one alias or version has it')
  const id = { FunctionName: name, Qualifier: only.qualifier }
  if (units === 0) await session.ask('lambda', region, (m) => new m.DeleteProvisionedConcurrencyConfigCommand(id))
  else {
    const order = { ...id, ProvisionedConcurrentExecutions: units }
    await session.ask('lambda', region, (m) => new m.PutProvisionedConcurrencyConfigCommand(order))
  }
}

export const lambda: ResourceKind<At> = {
  look,
  sets: ['memory_mb', 'timeout_seconds', 'provisioned_concurrency'],
  set,
  delete: ({ session, region, name }) =>
    session.ask('lambda', region, (m) => new m.DeleteFunctionCommand({ FunctionName: name })),
}
