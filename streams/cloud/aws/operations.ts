/** All operations of the AWS connector except discovery. */
import { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import type { Connector } from '#streams/cloud/connector.ts'
import { access } from '#streams/cloud/aws/session/access.ts'
import { act, repeats } from '#streams/cloud/aws/act/act.ts'
import { bill } from '#streams/cloud/aws/bill/bill.ts'
import { createInfrastructure, infrastructureFor } from '#streams/cloud/aws/scaling/infrastructure.ts'
import { look } from '#streams/cloud/aws/resource/look.ts'
import { measure } from '#streams/cloud/aws/measure/measure.ts'
import { quotas } from '#streams/cloud/aws/scaling/quota.ts'
import { policies, replacePolicies } from '#streams/cloud/aws/scaling/policy.ts'
import type { AwsOptions } from '#streams/cloud/aws/session/session.ts'

export type AwsDoing = Pick<
  Connector,
  | 'measure'
  | 'bill'
  | 'act'
  | 'repeats'
  | 'look'
  | 'access'
  | 'policies'
  | 'replacePolicies'
  | 'quotas'
  | 'infrastructureFor'
  | 'createInfrastructure'
>

export const awsDoing = (options: AwsOptions): AwsDoing => ({
  measure: (account, resources, from, to, stepSeconds) => measure(options, account, resources, from, to, stepSeconds),
  bill: (account, from, to, refusals = new BillRefusals()) => bill(options, account, { from, to, refusals }),
  act: (account, action) => act(options, account, action),
  repeats,
  look: (account, resource) => look(options, account, resource),
  access: (account, resource) => access(options, account, resource),
  policies: (account, resource) => policies(options, account, resource),
  replacePolicies: (account, resource, replacement) => replacePolicies(options, account, resource, replacement),
  quotas: (account, resource) => quotas(options, account, resource),
  infrastructureFor,
  createInfrastructure: (account) => createInfrastructure(options, account),
})
