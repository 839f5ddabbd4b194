-- Part of each workload in kubernetes_idle_slot, in US dollars. Not included in its costs.
ALTER TABLE kubernetes_workload_slot
    ADD COLUMN IF NOT EXISTS cpu_idle_billed_cost Decimal(38, 14) AFTER network_list_cost,
    ADD COLUMN IF NOT EXISTS cpu_idle_effective_cost Decimal(38, 14) AFTER cpu_idle_billed_cost,
    ADD COLUMN IF NOT EXISTS cpu_idle_contracted_cost Decimal(38, 14) AFTER cpu_idle_effective_cost,
    ADD COLUMN IF NOT EXISTS cpu_idle_list_cost Decimal(38, 14) AFTER cpu_idle_contracted_cost,
    ADD COLUMN IF NOT EXISTS memory_idle_billed_cost Decimal(38, 14) AFTER cpu_idle_list_cost,
    ADD COLUMN IF NOT EXISTS memory_idle_effective_cost Decimal(38, 14) AFTER memory_idle_billed_cost,
    ADD COLUMN IF NOT EXISTS memory_idle_contracted_cost Decimal(38, 14) AFTER memory_idle_effective_cost,
    ADD COLUMN IF NOT EXISTS memory_idle_list_cost Decimal(38, 14) AFTER memory_idle_contracted_cost,
    ADD COLUMN IF NOT EXISTS gpu_idle_billed_cost Decimal(38, 14) AFTER memory_idle_list_cost,
    ADD COLUMN IF NOT EXISTS gpu_idle_effective_cost Decimal(38, 14) AFTER gpu_idle_billed_cost,
    ADD COLUMN IF NOT EXISTS gpu_idle_contracted_cost Decimal(38, 14) AFTER gpu_idle_effective_cost,
    ADD COLUMN IF NOT EXISTS gpu_idle_list_cost Decimal(38, 14) AFTER gpu_idle_contracted_cost
