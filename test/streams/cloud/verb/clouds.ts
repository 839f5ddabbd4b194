/** Acts on one far resource of each cloud: the product's own code down to the request, which the resource answers. */
import { carryOut } from '#streams/cloud/resource/verb/carry-out.ts'
import type { VerbTarget, ResourceKinds } from '#streams/cloud/resource/verb/kind.ts'
import type { ActionOutcome, CloudAction, ResourceRef } from '#streams/cloud/connector.ts'
import { kinds as awsKinds } from '#streams/cloud/aws/act/index.ts'
import { atOf as awsAt } from '#streams/cloud/aws/act/kind.ts'
import { awsFault } from '#streams/cloud/aws/session/fault.ts'
import { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { kinds as azureKinds } from '#streams/cloud/azure/act/index.ts'
import { atOf as azureAt } from '#streams/cloud/azure/act/kind.ts'
import { azureFault } from '#streams/cloud/azure/session/fault.ts'
import type { Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { AzureSession } from '#streams/cloud/azure/session/session.ts'
import { kinds as gcpKinds } from '#streams/cloud/gcp/act/index.ts'
import { atOf as gcpAt } from '#streams/cloud/gcp/act/kind.ts'
import { decodeAnswer } from '#streams/cloud/gcp/session/api.ts'
import { gcpFault } from '#streams/cloud/gcp/session/fault.ts'
import { GcpSession } from '#streams/cloud/gcp/session/session.ts'
import type { Tokens } from '#streams/cloud/gcp/session/token.ts'
import { commands } from '#test/streams/cloud/aws/stub.ts'
import { account as awsAccount } from '#test/streams/cloud/aws/stub-session.ts'
import { account as azureAccount } from '#test/streams/cloud/azure/answer-server.ts'
import { account as gcpAccount } from '#test/streams/cloud/gcp/far-google.ts'
import { awsErrors, awsTypes } from './aws-types.ts'
import { azureErrors, azureTypes } from './azure-types.ts'
import { gcpErrors, gcpTypes } from './gcp-types.ts'
import { FarResource, outcomesOf, type CloudErrors, type FarType, type Situation } from './far-resource.ts'

interface Cloud {
  types: Readonly<Record<string, FarType>>
  errors: CloudErrors
  act: (far: FarResource, action: CloudAction) => Promise<ActionOutcome>
}

const acting =
  <A extends VerbTarget>(kinds: ResourceKinds<A>, open: (far: FarResource, ref: ResourceRef) => A): Cloud['act'] =>
  (far, action) =>
    carryOut(kinds[action.resource.type]!, open(far, action.resource), action)

function openAws(far: FarResource, ref: ResourceRef) {
  const { caller } = far
  const credentials = async () => ({ accessKeyId: '', secretAccessKey: '' })
  const session = new AwsSession(awsAccount, { caller }, { credentials })
  const ask = async (service: string, region: string, make: (m: never) => unknown, { repeatable = true } = {}) => {
    const { operation } = make(commands as never) as { operation: string }
    return caller.call(
      { provider: 'aws', account: awsAccount.id, service, region },
      async () => far.answer(operation),
      (error) => awsFault(error, { service, operation, region }),
      { repeatable },
    )
  }
  session.ask = ask as AwsSession['ask']
  return awsAt(session, ref)
}

function openGcp(far: FarResource, ref: ResourceRef) {
  const { caller } = far
  const session = new GcpSession(gcpAccount, { caller }, {} as Tokens)
  session.ask = (call, schema) => {
    const { service, permission, repeatable = true } = call
    return caller.call(
      { provider: 'gcp', account: gcpAccount.id, service, region: '' },
      async () => decodeAnswer(schema, far.answer(permission), call),
      (error) => gcpFault(error, { service, permission, project: 'shop-prod' }),
      { repeatable },
    )
  }
  return gcpAt(session, ref)
}

function openAzure(far: FarResource, ref: ResourceRef) {
  const { caller } = far
  const session = new AzureSession(azureAccount, { caller })
  session.ask = ({ method = 'GET', path, repeatable = true }) => {
    const isOwn = path.toLowerCase().startsWith(ref.resourceUid)
    const request = `${method} ${isOwn ? path.slice(ref.resourceUid.length) : path.split('/').slice(-2).join('/')}`
    return caller.call(
      { provider: 'azure', account: azureAccount.id, service: 'arm', region: '' },
      async () => far.answer(request) as Json,
      (error) => azureFault(error, { operation: request, permission: request }),
      { repeatable },
    )
  }
  return azureAt(session, ref)
}

export const clouds: Readonly<Record<'aws' | 'gcp' | 'azure', Cloud>> = {
  aws: { types: awsTypes, errors: awsErrors, act: acting(awsKinds, openAws) },
  gcp: { types: gcpTypes, errors: gcpErrors, act: acting(gcpKinds, openGcp) },
  azure: { types: azureTypes, errors: azureErrors, act: acting(azureKinds, openAzure) },
}

/** What comes of the change `<type> <verb>` in a situation. */
export function cameOf({ types, errors, act }: Cloud, change: string, situation: Situation): Promise<string> {
  const far = new FarResource(types[change]!, situation, errors)
  const { action, resourceUid } = types[change]!
  const resource = { type: change.split(' ')[0]!, resourceUid, region: 'us-east-1' }
  return outcomesOf(far, situation, () => act(far, { id: 'a-1', resource, ...action }))
}
