/** Prometheus metrics of the stores' disks. */
import { Gauge, type Registry } from 'prom-client'
import type { Disks, StoreDisk } from '#config/state/disk.ts'

/** As last read by the watch of this process. */
export function measureDisks(registry: Registry, disks: Pick<Disks, 'known'>): void {
  const gauge = (name: string, help: string, pick: (disk: StoreDisk) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['store', 'path'],
      registers: [registry],
      collect() {
        this.reset()
        for (const disk of disks.known) this.set({ store: disk.store, path: disk.path }, pick(disk))
      },
    })
  gauge('tidemark_store_disk_free_bytes', 'Free space on the disk of a store, in bytes', ({ freeBytes }) => freeBytes)
  gauge('tidemark_store_disk_bytes', 'Size of the disk of a store, in bytes', ({ totalBytes }) => totalBytes)
}
