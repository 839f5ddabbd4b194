/** Configs of bodies, read by the schema of their kind, before there is a job. */
import { configProblems } from '#actors/catalog/config/check.ts'
import { findComponent, type Component } from '#actors/catalog/components/load.ts'
import { configSchemas, type Configs } from '#actors/catalog/config/config.ts'
import { Fault } from '#engine/value/fault.ts'
import { bodyInput } from '#http/edge/request/decode.ts'
import { badInput, type InputError } from '#http/edge/problem.ts'
import { provisioningKinds, type ProvisioningKind } from '#streams/cloud/provision.ts'

const readers = new Map(provisioningKinds.map((kind) => [kind, bodyInput(configSchemas[kind])] as const))

/** Those of the body that `work` reads under `at`, a JSON pointer, by their places in the whole body. */
function under<T>(at: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const errors = error instanceof Fault ? (error.detail['errors'] as readonly InputError[] | undefined) : undefined
    if (!errors) throw error
    throw badInput(...errors.map((one) => ({ ...one, name: `${at}${one.name}` })))
  }
}

/** @throws Fault `missing` */
export function componentFound(id: string): Component {
  const component = findComponent(id)
  if (!component) throw Fault.missing('component', id)
  return component
}

/** @throws Fault `invalid`, each error by its place in the body, where the values stand under `at` */
export const checkValues = ({ values: schema }: Component, values: unknown, at: string): void =>
  void under(at, () => bodyInput(schema)(values))

/**
 * The member `config` of a body. @throws Fault `invalid`, each error by its place in the body; `missing` for a component there is not
 */
export function readConfig(kind: ProvisioningKind, given: unknown): Record<string, unknown> {
  const config = under('/config', () => readers.get(kind)!(given)) as Configs[typeof kind]
  const problems = configProblems(kind, config)
  if (problems.length > 0)
    throw badInput(
      ...problems.map(({ path, code, message }) => ({ in: 'body' as const, name: `/config${path}`, code, message })),
    )
  if (kind === 'component') {
    const { componentID, values } = config as Configs['component']
    checkValues(componentFound(componentID), values, '/config/values')
  }
  return config
}
