/** A scale set with its machines, which get a changed model at once, or when its owner says so. */
import type { Body } from './far-arm.ts'

export class ScaleSet {
  private readonly body: Body
  /** The pools of load balancers that each machine is in. */
  private readonly pooled: string[][]
  private version = 1

  constructor(body: Body) {
    this.body = body
    this.pooled = Array.from({ length: Number(body['sku']?.capacity ?? 2) }, () => this.modelPools)
  }

  get etag(): string {
    return `"${this.version}"`
  }

  private get modelPools(): string[] {
    const cards: Body[] = this.body['properties'].virtualMachineProfile.networkProfile.networkInterfaceConfigurations
    return cards.flatMap((card) =>
      card['properties'].ipConfigurations.flatMap((address: Body) =>
        (address['properties'].loadBalancerBackendAddressPools ?? []).map(({ id }: Body) => String(id).toLowerCase()),
      ),
    )
  }

  /** Of the machines, not of the model. */
  get pools(): string[] {
    return this.pooled.flat()
  }

  machinesIn(pool: string): number[] {
    return this.pooled.flatMap((pools, at) => (pools.includes(pool.toLowerCase()) ? [at] : []))
  }

  machines(path: string): Body[] {
    const model = this.modelPools.toSorted().join()
    return this.pooled.map((pools, at) => ({
      id: `${path}/virtualMachines/${at}`,
      instanceId: String(at),
      properties: { latestModelApplied: pools.toSorted().join() === model },
    }))
  }

  change(change: Body): void {
    const { networkProfile } = change['properties'].virtualMachineProfile
    this.body['properties'].virtualMachineProfile.networkProfile = networkProfile
    this.version++
  }

  upgradeByPolicy(): void {
    if (this.body['properties'].upgradePolicy.mode !== 'Manual') this.upgrade()
  }

  upgrade(): void {
    this.pooled.fill(this.modelPools)
  }
}
