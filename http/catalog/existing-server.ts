/** Servers that no job has created, checked in the inventory before a job exists. */
import { findTargets } from '#actors/autoscaling/target/queries.ts'
import type { Configs } from '#actors/catalog/config/config.ts'
import type { Space } from '#actors/catalog/entity.ts'
import { Fault } from '#engine/value/fault.ts'
import { badInput } from '#http/edge/problem.ts'
import type { Services } from '#http/edge/services.ts'
import { protocolOfEngine } from '#streams/cloud/provision.ts'

const serverTypes = ['aws-rds', 'aws-aurora-cluster']

/**
 * @throws Fault `missing` if the inventory does not have it; `invalid` if it is in another region; `refused`
 * `not_a_server`, `credentials_missing`
 */
export async function checkExistingServer(
  { em }: Pick<Services, 'em'>,
  { orgId, cloudAccountId, region }: Space,
  { serverUID, secretARN }: Configs['existing_datastore'],
): Promise<void> {
  const [server] = await findTargets(em, orgId, { uid: serverUID, cloudAccountId })
  if (!server) throw Fault.missing('server', serverUID)
  const { name, type, specs } = server
  if (!serverTypes.includes(type) || !protocolOfEngine(String(specs['engine'])) || specs['is_replica'] === true)
    throw Fault.refused('not_a_server', `${name} is not a PostgreSQL or MySQL server that can be written to.`)
  if (server.region !== region)
    throw badInput({
      in: 'body',
      name: '/config/serverUID',
      code: 'region',
      message: `must be in ${region}, the region of the space`,
    })
  if (secretARN === undefined && typeof specs['master_secret_arn'] !== 'string')
    throw Fault.refused(
      'credentials_missing',
      `RDS does not manage the password of ${name}. Let it do so, or give secretARN: a secret with username and password of an administrator.`,
    )
}
