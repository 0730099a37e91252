public import FoundationEssentials
import PushCrypto
import VectorReplay

extension FuzzTarget {
    /// The inputs for this target that the golden vectors hold or that are made, without repetition.
    ///
    /// - Parameter vectors: the directory with the vector files.
    /// - Throws: when a file is missing or is not JSON.
    public func seedInputs(from vectors: URL) throws -> [[UInt8]] {
        var inputs = madeSeeds()
        for source in seeds {
            let file = vectors.appendingPathComponent(source.file + ".json")
            source.collect(from: try JSON.parse(Data(contentsOf: file)), into: &inputs)
        }
        var known: Set<[UInt8]> = []
        return inputs.filter { known.insert($0).inserted }
    }
}

extension SeedSource {
    fileprivate func collect(from value: JSON, into inputs: inout [[UInt8]]) {
        for element in value.arrayValue ?? [] {
            collect(from: element, into: &inputs)
        }
        for (key, field) in value.objectValue ?? [:] {
            if fields.contains(key), let bytes = field.stringValue.map({ Hexadecimal.decode($0) ?? Array($0.utf8) }) {
                inputs.append(bytes)
            } else if key == list {
                var parts: [[UInt8]] = []
                collect(from: field, into: &parts)
                if !parts.isEmpty { inputs.append(join(parts)) }
            } else {
                collect(from: field, into: &inputs)
            }
        }
    }
}
