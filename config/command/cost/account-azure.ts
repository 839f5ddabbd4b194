/** What of Azure is printed and asked for when a subscription is connected. */
import { readFileSync } from 'node:fs'
import { requireValue, UsageError, type Command, type Invocation } from '#config/command/line/command.ts'
import { clusterRole } from '#streams/cloud/kubernetes/api/permissions.ts'
import { roleCommands, roleDefinition } from '#streams/cloud/azure/permission/policy.ts'
import { guidShape } from '#streams/cloud/azure/permission/principal.ts'

/** The role and how to make it. `container`: `<storage account>/<container>` of the bill. */
export function azurePolicy({ values }: Pick<Invocation, 'values'>) {
  const { subscription, container } = values
  const options = {
    write: values['write'] === true,
    ...(typeof subscription === 'string' && { subscription }),
    ...(typeof container === 'string' && { container }),
  }
  const [role, commands] = [roleDefinition(options), roleCommands(options)]
  const data = { role, commands, clusterRole: clusterRole(options.write ? ['read', 'write'] : ['read']) }
  const text = [
    'Role definition of the application:',
    JSON.stringify(role, null, 2),
    '',
    'Azure CLI commands, signed in to the tenant (the second one prints tenant, appId and password):',
    ...commands,
  ].join('\n')
  return { data, text }
}

/** The secret comes from a file: what is typed here others on the machine can see. @throws UsageError */
export function azureBody({ values }: Pick<Invocation, 'values'>, command: Pick<Command, 'usage'>) {
  const guid = (name: string): string => {
    const given = requireValue(command, values[name], `--${name}`)
    if (guidShape.test(given)) return given.toLowerCase()
    throw new UsageError(`--${name} must be a GUID, got ${given}`)
  }
  const [subscription, tenantID, clientID] = [guid('subscription'), guid('tenant'), guid('client')]
  const file = values['secret-file']
  const { name, regions, billing } = values
  return {
    name: typeof name === 'string' ? name : `Azure ${subscription}`,
    provider: 'azure',
    externalID: subscription,
    credentials: { tenantID, clientID, ...(typeof file === 'string' && { clientSecret: secretIn(file) }) },
    ...(typeof regions === 'string' && { regions: regions.split(/[\s,]+/).filter((region) => region !== '') }),
    ...(typeof billing === 'string' && { billingExport: { kind: 'focus', location: billing } }),
  }
}

function secretIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    throw new UsageError(`Cannot read --secret-file ${file}`)
  }
}
