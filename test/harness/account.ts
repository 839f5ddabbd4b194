/** The actor of one account in memory, with what it is told. */
import { accountActor } from '#actors/account/actor.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import { accountKey, type AccountNeeds } from '#actors/account/needs.ts'
import {
  accountConnected,
  accountPatched,
  accountRefused,
  accountRemoved,
  accountVerified,
} from '#streams/account/messages.ts'
import { refreshProgress } from '#streams/refresh.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { MemoryActor, type Delivery, type Done } from '#test/harness/turn.ts'

export const id = 'acct-1'
export const none: AccountNeeds = {
  lines: new Map(),
  counts: new Map(),
  gone: new Map(),
  blind: new Map(),
  lone: new Map(),
}
export const gone = (...uids: string[]): AccountNeeds => ({
  ...none,
  gone: new Map([[accountKey('o1', id), uids.map((uid) => ({ uid, provider: 'aws' }))]]),
})
export const connection = {
  id,
  name: 'Production',
  provider: 'aws' as const,
  externalId: '123456789012',
  credentials: 'sealed',
  regions: ['us-east-1'],
  billingExport: null,
}

export class Account {
  readonly actor = new MemoryActor<CloudAccount>(accountActor as never, { place: id, key: id })

  get state(): CloudAccount {
    return this.actor.state
  }
  connect(): Done {
    return this.actor.take(accountConnected, connection, { needs: none })
  }
  patch(fields: object): Done {
    return this.actor.take(accountPatched, { id, ...fields }, { needs: none })
  }
  verify(verdict: CloudAccount['permissionVerdict'], ...missingPermissions: string[]): Done {
    return this.actor.take(accountVerified, { id, verdict, missingPermissions, message: null }, { needs: none })
  }
  refuse(message = 'Renew them.', delivery: Delivery = {}): Done {
    return this.actor.take(accountRefused, { id, message }, { needs: none, ...delivery })
  }
  remove(needs = none): Done {
    return this.actor.take(accountRemoved, { id }, { needs })
  }
  feed(): Done {
    const data = { resourceUid: 'i-1', name: 'web', type: 'aws-ec2', provider: 'cloud-a', region: 'eu' } as const
    return this.actor.take(resourceDiscovered, { ...data, cloudAccountId: id }, { needs: none })
  }
  scan(
    refreshId: string,
    status: 'running' | 'completed' | 'failed',
    fields: object = {},
    needs = none,
    time?: number,
  ): Done {
    const data = { refreshId, provider: 'aws' as const, cloudAccountId: id, status, discovered: 0, ...fields }
    return this.actor.take(refreshProgress, data, { needs, ...(time && { time }) })
  }
}
