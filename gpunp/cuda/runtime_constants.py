"""Numbers of flags and attributes, by the names that programs use them under."""

memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice, memcpyDefault = range(5)

streamDefault, streamNonBlocking = 0, 1
streamLegacy, streamPerThread = 1, 2
streamCaptureModeGlobal, streamCaptureModeThreadLocal, streamCaptureModeRelaxed = range(3)
streamCaptureStatusNone, streamCaptureStatusActive, streamCaptureStatusInvalidated = range(3)

eventDefault, eventBlockingSync, eventDisableTiming, eventInterprocess = 0, 1, 2, 4

hostAllocDefault, hostAllocPortable, hostAllocMapped, hostAllocWriteCombined = 0, 1, 2, 4
hostRegisterDefault, hostRegisterPortable, hostRegisterMapped, hostRegisterIoMemory = 0, 1, 2, 4
memAttachGlobal, memAttachHost, memAttachSingle = 1, 2, 4
cudaIpcMemLazyEnablePeerAccess = 1

cudaMemAdviseSetReadMostly, cudaMemAdviseUnsetReadMostly = 1, 2
cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation = 3, 4
cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy = 5, 6
cudaCpuDeviceId, cudaInvalidDeviceId = -1, -2

memoryTypeUnregistered, memoryTypeHost, memoryTypeDevice, memoryTypeManaged = range(4)
cudaMemAllocationTypePinned, cudaMemHandleTypeNone, cudaMemHandleTypePosixFileDescriptor = 1, 0, 1
cudaMemLocationTypeDevice = 1
cudaMemPoolReuseFollowEventDependencies, cudaMemPoolReuseAllowOpportunistic = 1, 2
cudaMemPoolReuseAllowInternalDependencies, cudaMemPoolAttrReleaseThreshold = 3, 4
cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh = 5, 6
cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh = 7, 8

cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize = 0, 1, 2
cudaLimitDevRuntimeSyncDepth, cudaLimitDevRuntimePendingLaunchCount = 3, 4
cudaLimitMaxL2FetchGranularity, cudaLimitPersistingL2CacheSize = 5, 6

cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned = 0, 1
cudaChannelFormatKindFloat, cudaChannelFormatKindNone = 2, 3
cudaArrayDefault, cudaArraySurfaceLoadStore, cudaArrayTextureGather = 0, 2, 8
cudaResourceTypeArray, cudaResourceTypeMipmappedArray = 0, 1
cudaResourceTypeLinear, cudaResourceTypePitch2D = 2, 3
cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder = range(4)
cudaFilterModePoint, cudaFilterModeLinear = 0, 1
cudaReadModeElementType, cudaReadModeNormalizedFloat = 0, 1

errorInvalidValue, errorMemoryAllocation, errorPeerAccessAlreadyEnabled = 1, 2, 704
errorContextIsDestroyed, errorInvalidResourceHandle, errorNotReady = 709, 400, 600
deviceAttributeComputeCapabilityMajor, deviceAttributeComputeCapabilityMinor = 75, 76

__all__ = [name for name in globals() if name[:1] != "_"]
