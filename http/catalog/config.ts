/** Validates configs in bodies by the schema of their kind, before a job exists. */
import { configProblems } from '#actors/catalog/config/check.ts'
import { findComponent, type Component } from '#actors/catalog/components/load.ts'
import { configSchemas, type Configs } from '#actors/catalog/config/config.ts'
import { Fault } from '#engine/value/fault.ts'
import { bodyInput } from '#http/edge/request/decode.ts'
import { badInput, type InputError } from '#http/edge/problem.ts'
import { provisioningKinds, type ProvisioningKind } from '#streams/cloud/provision.ts'

const readers = new Map(provisioningKinds.map((kind) => [kind, bodyInput(configSchemas[kind])] as const))

/** Runs `work`; errors get their path in the whole body, with `at` (a JSON pointer) in front. */
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

/** @throws Fault `invalid`, each error with its path in the body, where the values are at `at` */
export const checkValues = ({ values: schema }: Component, values: unknown, at: string): void =>
  void under(at, () => bodyInput(schema)(values))

/**
 * The member `config` of a body.
 * @throws Fault `invalid`, each error with its path in the body; `missing` for an unknown component
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
