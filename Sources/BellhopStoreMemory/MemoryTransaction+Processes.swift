internal import BellhopModel
internal import BellhopStore

/// The processes that serve the storage, and their leases.
extension MemoryTransaction {
  func processes(seenSince time: Timestamp) -> [ServingProcess] {
    state.processes.values.filter { $0.lastSeen >= time }.sorted { $0.id < $1.id }
  }

  func lease(_ name: LeaseName) -> Lease? { state.leases[name] }

  func put(_ process: ServingProcess) { set(\.processes[process.id], to: process) }

  func removeProcess(_ id: ProcessID) { set(\.processes[id], to: nil) }

  func removeProcesses(seenBefore time: Timestamp, limit: Int) {
    let old = state.processes.values.filter { $0.lastSeen < time }.sorted { $0.id < $1.id }
    for process in old.prefix(limit) { removeProcess(process.id) }
  }

  func put(_ lease: Lease) { set(\.leases[lease.name], to: lease) }

  func releaseLeases(of process: ProcessID) {
    for var lease in state.leases.values where lease.holder == process {
      lease.holder = nil
      put(lease)
    }
  }

  func removeLeases(endedBefore time: Timestamp, limit: Int) {
    let old = state.leases.values.filter { $0.expires < time }
      .sorted { $0.name.text < $1.name.text }
    for lease in old.prefix(limit) { set(\.leases[lease.name], to: nil) }
  }
}
